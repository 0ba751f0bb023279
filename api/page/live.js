// A hand by the live camera: what lies still is read and outlined where it lies; a tap takes it.

import { handOf, doubtfulIds, openDoubts } from "./hand.js";
import { html, useEffect, useMemo, useRef, useState } from "./html.js";
import { CloseIcon } from "./icons.js";
import { scanFrames } from "./service.js";
import { Viewfinder } from "./viewfinder.js";

/**
 * @param {(frame: Blob, answer: object) => void} onTaken given the frame that was read and the service's answer
 * @param {(photo: Blob) => void} onPhoto given a photo that was not read yet
 */
export function Live({ place, onTaken, onPhoto, onClose, onRefused }) {
  const [read, setRead] = useState(null);
  const [text, setText] = useState("Hold the phone still over the cards.");
  const [isTaking, setTaking] = useState(false);
  const [camera, setCamera] = useState(null);
  const reading = useRef(null);
  useEffect(() => () => reading.current?.abort(), []);

  const still = async (frames) => {
    reading.current?.abort();
    const control = new AbortController();
    reading.current = control;
    setText("Reading the cards…");
    try {
      const answer = await scanFrames(frames, place, control.signal);
      const hand = handOf(answer.scene);
      setRead(hand.cards.length ? { frame: frames.at(-1), answer, hand } : null);
      setText(hand.cards.length ? answer.score.text : "No cards yet. Hold the phone over them, in even light.");
    } catch (error) {
      if (error.name !== "AbortError") setText(error.message);
    }
  };
  const moved = () => {
    reading.current?.abort();
    setRead(null);
    setText("Hold the phone still over the cards.");
  };
  const doubtful = useMemo(() => (read ? doubtfulIds(openDoubts(read.hand)) : undefined), [read]);
  const take = async () => {
    if (read) return onTaken(read.frame, read.answer);
    setTaking(true);
    const photo = await camera.photo();
    if (photo) onPhoto(photo);
    else setTaking(false);
    return undefined;
  };

  return html`<main class="camera">
    <h1 class="unseen" tabindex="-1">Live camera</h1>
    <${Viewfinder}
      hand=${read?.hand ?? null}
      doubtful=${doubtful}
      onStill=${still}
      onMoved=${moved}
      onCamera=${setCamera}
      onRefused=${onRefused}
    />
    <p class="caption" role="status">${text}</p>
    <div class="controls">
      <button class="round" aria-label="Close the camera" onClick=${onClose}><${CloseIcon} /></button>
      <button
        class=${read ? "shutter ready" : "shutter"}
        aria-label=${read ? "Take these cards" : "Take the photo"}
        disabled=${!camera || isTaking}
        onClick=${take}
      ></button>
      <span class="round none"></span>
    </div>
  </main>`;
}
