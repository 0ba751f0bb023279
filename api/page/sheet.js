// The sheet from the bottom: every card of the pack to choose from.

import { ink, JOKER, label, Name, RANKS, spoken, SUITS } from "./cards.js";
import { html, useEffect, useRef } from "./html.js";
import { CloseIcon } from "./icons.js";
import { Cut } from "./outlines.js";

/**
 * @param held the card to change, or null to add cards
 * @param added the cards added since the sheet opened
 */
export function Sheet({ held, added, photo, onChoose, onRemove, onClose }) {
  const dialog = useRef(null);
  useEffect(() => dialog.current.showModal(), []);

  const choice = (card) =>
    html`<button
      key=${card}
      class=${`choice ${ink(card)}`}
      aria-pressed=${held ? held.card === card : undefined}
      onClick=${() => onChoose(card)}
    >
      <span class="unseen">${spoken(card)}</span><span aria-hidden="true">${label(card)}</span>
    </button>`;
  // A tap on the dialog itself is one beside the sheet.
  const beside = (event) => event.target === dialog.current && onClose();

  return html`<dialog class="sheet" ref=${dialog} aria-labelledby="sheet-title" onClose=${onClose} onClick=${beside}>
    <div class="body">
      <header>
        ${held && html`<${Cut} ...${photo} held=${held} side=${56} />`}
        <div>
          <h2 id="sheet-title">${held ? "Which card is this?" : "Add cards"}</h2>
          <p role=${held ? undefined : "status"}>
            ${
              held
                ? html`Now <${Name} card=${held.card} />`
                : added.length
                  ? html`Added ${added.map((card, place) => html`${place ? ", " : ""}<${Name} card=${card} />`)}`
                  : "Tap every card of the hand."
            }
          </p>
        </div>
        <button class="round" aria-label=${held ? "Close" : "Done"} onClick=${onClose}><${CloseIcon} /></button>
      </header>
      ${SUITS.map((suit) => html`<div key=${suit} class="suit">${RANKS.map((rank) => choice(rank + suit))}</div>`)}
      <div class="others">
        <button
          class="choice wide"
          aria-pressed=${held ? held.card === JOKER : undefined}
          onClick=${() => onChoose(JOKER)}
        >
          ★ Joker
        </button>
        ${
          held
            ? html`<button class="choice wide danger" onClick=${onRemove}>Not a card</button>`
            : html`<button class="choice wide done" onClick=${onClose}>Done</button>`
        }
      </div>
    </div>
  </dialog>`;
}
