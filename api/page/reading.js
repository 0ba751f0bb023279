// The screen between a photo and its hand.

import { html } from "./html.js";

export function Reading({ url, sent, onStop }) {
  const text = sent < 1 ? `Sending the photo, ${Math.round(sent * 100)} %` : "Reading the cards…";
  return html`<main class="reading">
    <div class="frame">
      ${url && html`<img src=${url} alt="" />`}
      <div class="sweep"></div>
    </div>
    <progress max="1" value=${sent < 1 ? sent : undefined} aria-label=${text}></progress>
    <p role="status">${text}</p>
    <button class="button plain" onClick=${onStop}>Stop</button>
  </main>`;
}
