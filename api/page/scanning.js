// From a photo to what is on it: the picture on the screen, the photo on its way, the answer.

import { html, useEffect, useRef, useState } from "./html.js";
import { readPhoto } from "./photos.js";
import { loadImage, withinLimits } from "./picture.js";

/**
 * What reads photos one at a time: `read(file, then)` calls `then(answer, sent)` with what the service said, and the
 * picture file that it read.
 * `state` is null while nothing is read, `url` the address of the picture last shown.
 */
export function useScanning(place, onProblem) {
  const [state, setState] = useState(null);
  const url = useRef(null);
  const running = useRef(null);

  const show = (file) => {
    if (url.current) URL.revokeObjectURL(url.current);
    url.current = file ? URL.createObjectURL(file) : null;
    return url.current;
  };
  const stop = (reason) => {
    running.current?.abort(reason);
    setState(null);
  };
  useEffect(
    () => () => {
      running.current?.abort("left");
      show(null);
    },
    [],
  );

  async function read(file, then, { keepPicture = false } = {}) {
    running.current?.abort();
    const control = new AbortController();
    running.current = control;
    const address = keepPicture ? URL.createObjectURL(file) : show(file);
    setState({ sent: 0, away: null, url: null });
    const image = await loadImage(address);
    const sending = await withinLimits(file, image);
    if (control.signal.aborted) return;
    const progress = (step) => setState({ ...step, url: image ? address : null });
    progress({ sent: 0, away: null });
    try {
      const answer = await readPhoto(sending, place, progress, control.signal);
      setState(null);
      then(answer, sending);
    } catch (error) {
      setState(null);
      if (error.name !== "AbortError") onProblem(error.message);
    } finally {
      if (keepPicture) URL.revokeObjectURL(address);
    }
  }
  return { state, url, show, read, stop };
}

/** The screen between a photo and what is on it. */
export function Scanning({ state, onStop }) {
  const { sent, away, url } = state;
  const text =
    away ?? (sent < 1 ? `Sending the photo, ${Math.round(sent * 100)} %` : "Reading the cards…");
  return html`<main class="reading">
    <h1 class="unseen" tabindex="-1">Reading the photo</h1>
    <div class="frame">
      ${url && html`<img src=${url} alt="" />`}
      ${!away && html`<div class="sweep"></div>`}
    </div>
    ${!away && html`<progress max="1" value=${sent < 1 ? sent : undefined} aria-label=${text}></progress>`}
    <p role="status">${text}</p>
    ${away && html`<p class="quiet">The photo is kept on this phone, and sent as soon as the service answers.</p>`}
    <button class="button plain" onClick=${onStop}>${away ? "Give this photo up" : "Stop"}</button>
  </main>`;
}
