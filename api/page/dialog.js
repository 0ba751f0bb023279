// A sheet from the bottom with a question or a choice.

import { html, useEffect, useRef } from "./html.js";
import { CloseIcon } from "./icons.js";

export function Dialog({ title, onClose, children }) {
  const dialog = useRef(null);
  useEffect(() => dialog.current.showModal(), []);
  // A tap on the dialog itself is one beside the sheet.
  const beside = (event) => event.target === dialog.current && onClose();
  return html`<dialog class="sheet" ref=${dialog} aria-labelledby="dialog-title" onClose=${onClose} onClick=${beside}>
    <div class="body">
      <header>
        <div><h2 id="dialog-title">${title}</h2></div>
        <button class="round" aria-label="Close" onClick=${onClose}><${CloseIcon} /></button>
      </header>
      ${children}
    </div>
  </dialog>`;
}
