// Cards and numbers in words, as people say them.

export const JOKER = "JK";
export const UNKNOWN = "?";

const SUITS = { C: "clubs", D: "diamonds", H: "hearts", S: "spades" };
const SYMBOLS = { "♣": "C", "♦": "D", "♥": "H", "♠": "S" };
const RANKS = {
  A: "ace",
  2: "two",
  3: "three",
  4: "four",
  5: "five",
  6: "six",
  7: "seven",
  8: "eight",
  9: "nine",
  T: "ten",
  J: "jack",
  Q: "queen",
  K: "king",
};
const SMALL = (
  "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen " +
  "eighteen nineteen"
).split(" ");
const TENS = ". . twenty thirty forty fifty sixty seventy eighty ninety".split(" ");

/** "twenty-five", "one hundred and four", "minus fifty" */
export function number(value) {
  if (value < 0) return `minus ${number(-value)}`;
  if (value < 20) return SMALL[value];
  if (value < 100) return TENS[Math.floor(value / 10)] + (value % 10 ? `-${SMALL[value % 10]}` : "");
  const [size, name] = value < 1000 ? [100, "hundred"] : [1000, "thousand"];
  const rest = value % size;
  const joint = rest && rest < 100 ? " and " : " ";
  return `${number(Math.floor(value / size))} ${name}${rest ? joint + number(rest) : ""}`;
}

const plural = (word) => (word === "six" ? "sixes" : `${word}s`);

/** "nine of clubs", "joker"; more than one alike: "two nines of clubs", "three jokers" */
export function cardInWords(card, count = 1) {
  if (card === UNKNOWN) return count === 1 ? "a card that cannot be read" : `${number(count)} cards that cannot be read`;
  const rank = card === JOKER ? "joker" : RANKS[card[0]];
  const suit = card === JOKER ? "" : ` of ${SUITS[card[1]]}`;
  return count === 1 ? rank + suit : `${number(count)} ${plural(rank)}${suit}`;
}

/** "nine of clubs, king of diamonds, three of spades" */
export function cardsInWords(cards) {
  const counts = new Map();
  for (const card of cards) counts.set(card, (counts.get(card) ?? 0) + 1);
  return [...counts].map(([card, count]) => cardInWords(card, count)).join(", ");
}

/** "nine of clubs, king of diamonds, three of spades: twenty-five" */
export const handInWords = (cards, points) => `${cardsInWords(cards)}: ${number(points)}`;

/** A sentence of the screen as it is said: "This may be the 3♠" is "This may be the three of spades". */
export const sayable = (sentence) =>
  sentence
    .replaceAll("\uFE0E", "")
    .replace(/(10|[2-9AJQK])([♣♦♥♠])/g, (_, rank, suit) => cardInWords((rank === "10" ? "T" : rank) + SYMBOLS[suit]))
    .replace(/\s*=\s*/g, " is ")
    .replace(/\s*×\s*/g, " times ");

/** "Ana", "Ana and Ben", "Ana, Ben and Cy" */
export const listed = (names) =>
  names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;

/** "1 card", "2 cards" */
export const count = (amount, one, many = `${one}s`) => `${amount} ${amount === 1 ? one : many}`;

/** "1 point", "25 points", "−50 points" */
export const points = (amount) => count(amount, "point").replace("-", "−");

/**
 * The value of a sum that somebody types, such as "12 + 11+7"; null where it is none.
 * @param {string} text
 */
export function typedSum(text) {
  const trimmed = text.replace(/\s+/g, "");
  if (!/^\d{1,4}(\+\d{1,4})*$/.test(trimmed)) return null;
  return trimmed.split("+").reduce((sum, part) => sum + Number(part), 0);
}
