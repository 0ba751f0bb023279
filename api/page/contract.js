// A contract in words and as outlined places for its cards.

import { html } from "./html.js";

const slotInWords = ({ kind, size }) => `${kind} of ${size}`;

export function Contract({ contract }) {
  if (!contract) return html`<p class="contract-words">No contract: the melds on the table belong to everybody.</p>`;
  return html`<div class="contract">
    <p class="contract-words">
      ${contract.words}${contract.whole_hand ? ", the whole hand at once" : ""}
    </p>
    <div class="slots" aria-hidden="true">
      ${contract.slots.map(
        (slot, place) =>
          html`<span key=${place} class=${`slot ${slot.kind}`}>
            <span class="slot-cards">${Array.from({ length: slot.size }, (_, at) => html`<i key=${at}></i>`)}</span>
            <span class="slot-name">${slotInWords(slot)}</span>
          </span>`,
      )}
    </div>
  </div>`;
}
