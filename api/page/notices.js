// Short sentences that come up from below and go again: what was recorded, what another phone did.

import { html, useEffect, useState } from "./html.js";

const SHOWN_MS = 7000;

let tellAll = () => {};

/** Show a sentence for a while. */
export const notify = (text) => tellAll(text);

export function Notices() {
  const [shown, setShown] = useState({ text: "", turn: 0 });
  useEffect(() => {
    tellAll = (text) => setShown((before) => ({ text, turn: before.turn + 1 }));
  }, []);
  useEffect(() => {
    if (!shown.text) return undefined;
    const timer = setTimeout(() => setShown({ text: "", turn: shown.turn }), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [shown.turn]);
  return html`<div class=${shown.text ? "toast shown" : "toast"} role="status">${shown.text}</div>`;
}
