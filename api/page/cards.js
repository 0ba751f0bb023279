// Cards as people see and hear them, and as little cards on the screen. A card is its text in files: "8C", "TD", "JK".

import { html } from "./html.js";

export const RANKS = ["A", "2", "3", "4", "5", "6", "7", "8", "9", "T", "J", "Q", "K"];
export const SUITS = ["C", "D", "H", "S"];
export const JOKER = "JK";
export const UNKNOWN = "?";

// The variation selector keeps phones from drawing suits as coloured pictures.
const SYMBOLS = { C: "♣\uFE0E", D: "♦\uFE0E", H: "♥\uFE0E", S: "♠\uFE0E" };
const SUIT_NAMES = { C: "clubs", D: "diamonds", H: "hearts", S: "spades" };
const RANK_NAMES = { A: "ace", J: "jack", Q: "queen", K: "king" };

const rankLabel = (rank) => (rank === "T" ? "10" : rank);

/** "10♦", "Joker", "?" */
export function label(card) {
  if (card === JOKER) return "Joker";
  if (card === UNKNOWN) return "?";
  return rankLabel(card[0]) + SYMBOLS[card[1]];
}

/** "10 of diamonds", "joker", "a card that could not be read" */
export function spoken(card) {
  if (card === JOKER) return "joker";
  if (card === UNKNOWN) return "a card that could not be read";
  return `${RANK_NAMES[card[0]] ?? rankLabel(card[0])} of ${SUIT_NAMES[card[1]]}`;
}

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
