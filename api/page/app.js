// The page: one screen at a time, from a photo to a scored hand.

import { Camera } from "./camera.js";
import { emptyHand, handOf } from "./hand.js";
import { Home } from "./home.js";
import { html, render, useEffect, useRef, useState } from "./html.js";
import { loadImage, withinLimits } from "./picture.js";
import { Reading } from "./reading.js";
import { Result } from "./result.js";
import { rulesInForce, scan } from "./service.js";

const HOME = { name: "home", problem: null };

function App() {
  const [screen, setScreen] = useState(HOME);
  const [rules, setRules] = useState(null);
  const url = useRef(null);
  const running = useRef(null);

  useEffect(() => {
    rulesInForce().then(setRules, () => {});
    // A picture dropped anywhere on the page is read.
    const over = (event) => event.preventDefault();
    const dropped = (event) => {
      event.preventDefault();
      if (event.dataTransfer.files.length) read(event.dataTransfer.files[0]);
    };
    document.addEventListener("dragover", over);
    document.addEventListener("drop", dropped);
    return () => {
      document.removeEventListener("dragover", over);
      document.removeEventListener("drop", dropped);
    };
  }, []);
  useEffect(() => {
    window.scrollTo(0, 0);
    document.querySelector("h1")?.focus({ preventScroll: true });
  }, [screen.name]);

  const leavePicture = () => {
    running.current?.abort();
    if (url.current) URL.revokeObjectURL(url.current);
    url.current = null;
  };
  const goHome = (problem = null) => {
    leavePicture();
    setScreen({ name: "home", problem });
  };

  async function read(file) {
    leavePicture();
    const control = new AbortController();
    running.current = control;
    url.current = URL.createObjectURL(file);
    setScreen({ name: "reading", sent: 0, shown: false });
    const image = await loadImage(url.current);
    const sending = await withinLimits(file, image);
    if (control.signal.aborted) return;
    const progress = (sent) => setScreen({ name: "reading", sent, shown: image !== null });
    progress(0);
    try {
      const { scene, score } = await scan(sending, progress, control.signal);
      setScreen({ name: "result", hand: handOf(scene), first: score });
    } catch (error) {
      if (error.name !== "AbortError") goHome({ text: error.message, file: error.isPassing ? file : null });
    }
  }

  switch (screen.name) {
    case "reading":
      return html`<${Reading} url=${screen.shown ? url.current : null} sent=${screen.sent} onStop=${() => goHome()} />`;
    case "camera":
      return html`<${Camera}
        onPhoto=${read}
        onClose=${() => goHome()}
        onRefused=${(text) => goHome({ text, file: null })}
      />`;
    case "result":
      return html`<${Result}
        hand=${screen.hand}
        first=${screen.first}
        url=${url.current}
        onHand=${(hand) => setScreen({ ...screen, hand })}
        onNew=${() => goHome()}
      />`;
    default:
      return html`<${Home}
        rules=${rules}
        problem=${screen.problem}
        onFile=${read}
        onRetry=${() => read(screen.problem.file)}
        onLive=${() => setScreen({ name: "camera" })}
        onByHand=${() => setScreen({ name: "result", hand: emptyHand(), first: null })}
      />`;
  }
}

render(html`<${App} />`, document.getElementById("app"));
