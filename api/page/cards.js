// Cards as people see and hear them, and as little cards on the screen. A card is its text in files: "8C", "TD", "JK".

import { html } from "./html.js";
import { cardInWords, JOKER, UNKNOWN } from "./wording.js";

export { JOKER, UNKNOWN };
export const RANKS = ["A", "2", "3", "4", "5", "6", "7", "8", "9", "T", "J", "Q", "K"];
export const SUITS = ["C", "D", "H", "S"];

// The variation selector keeps phones from drawing suits as coloured pictures.
const SYMBOLS = { C: "♣\uFE0E", D: "♦\uFE0E", H: "♥\uFE0E", S: "♠\uFE0E" };

const rankLabel = (rank) => (rank === "T" ? "10" : rank);

/** "10♦", "Joker", "?" */
export function label(card) {
  if (card === JOKER) return "Joker";
  if (card === UNKNOWN) return "?";
  return rankLabel(card[0]) + SYMBOLS[card[1]];
}

/** "ten of diamonds", "joker", "a card that cannot be read" */
export const spoken = (card) => cardInWords(card);

/** The cards of a text such as "9C KD 3S". */
export const split = (text) => (text ? text.split(" ") : []);

/** CSS class of the ink a card is printed in. */
export const ink = (card) => (card[1] === "D" || card[1] === "H" ? "red" : "black");

/** One card's name with its suit coloured. */
export const Name = ({ card }) => html`<span class="name ${ink(card)}">${label(card)}</span>`;

/** The face of a little card; decorative, so its place must say the card in words. */
export function Face({ card }) {
  if (card === JOKER) {
    return html`<span class="face joker" aria-hidden="true">
      <span class="index"><b>★</b></span
      ><span class="word">Joker</span><span class="pip">★</span>
    </span>`;
  }
  if (card === UNKNOWN) {
    return html`<span class="face unknown" aria-hidden="true"><span class="pip">?</span></span>`;
  }
  return html`<span class="face ${ink(card)}" aria-hidden="true">
    <span class="index"><b>${rankLabel(card[0])}</b><i>${SYMBOLS[card[1]]}</i></span>
    <span class="pip">${SYMBOLS[card[1]]}</span>
  </span>`;
}
