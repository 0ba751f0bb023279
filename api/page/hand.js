// A hand on the screen: the cards, what is still in doubt, and one step back. Pure functions of frozen values.

import { UNKNOWN } from "./cards.js";

const LEAST_CHANCE = 0.01;
const MOST_ALTERNATIVES = 4;

const middle = ([x0, y0, x1, y1]) => [(x0 + x1) / 2, (y0 + y1) / 2];

function direction([x0, y0], [x1, y1]) {
  const length = Math.hypot(x1 - x0, y1 - y0) || 1;
  return [(x1 - x0) / length, (y1 - y0) / length];
}

/**
 * A hand from what the service read.
 * Each card has: id; card; read, the card that the service saw; startsGroup, whether it opens a further group; quad,
 * its outline; spots, the middles of its corner indices, and box, the first index, all in pixels of the picture; up,
 * the direction to its upper edge; alternatives; confirmed, whether a person said that it is right.
 * `scanned` are the cards as they were read, whatever becomes of them; null for a hand without a picture.
 */
export function handOf(scene) {
  const starts = new Set(scene.groups.slice(1).map(([first]) => first));
  const cards = scene.cards.map((seen, id) => ({
    id,
    card: seen.card,
    read: seen.card,
    startsGroup: starts.has(id),
    quad: seen.quad,
    spots: seen.corners.map((place) => middle(scene.corners[place].box)),
    box: seen.corners.length ? scene.corners[seen.corners[0]].box : null,
    up: direction(seen.quad[3], seen.quad[0]),
    alternatives: seen.alternatives
      .filter(([, chance]) => chance >= LEAST_CHANCE)
      .slice(0, MOST_ALTERNATIVES)
      .map(([card]) => card),
    confirmed: false,
  }));
  const doubts = scene.doubts.map((doubt, id) => ({
    id,
    kind: doubt.kind,
    text: doubt.text,
    cards: doubt.cards,
    noted: false,
  }));
  const scanned = cards.map((held) => held.card);
  return { size: scene.size, cards, doubts, scanned, nextId: cards.length, before: null };
}

/** A hand without a picture: cards that are known already, or none yet. */
export const handOfCards = (cards = []) => ({
  size: null,
  cards: cards.map((card, id) => unseen(id, card)),
  doubts: [],
  scanned: null,
  nextId: cards.length,
  before: null,
});

/** A card that no picture shows. */
const unseen = (id, card) => ({
  id,
  card,
  read: null,
  startsGroup: false,
  quad: null,
  spots: [],
  box: null,
  up: [0, -1],
  alternatives: [],
  confirmed: true,
});

const step = (hand, change) => ({ ...hand, ...change, before: hand });

const withCard = (hand, id, change) =>
  step(hand, { cards: hand.cards.map((held) => (held.id === id ? { ...held, ...change } : held)) });

/** The hand after a person said which card this is. */
export const settleCard = (hand, id, card) => withCard(hand, id, { card, confirmed: true });

/** The hand without something that is no card. */
export const removeCard = (hand, id) => step(hand, { cards: hand.cards.filter((held) => held.id !== id) });

/** The hand with one more card. */
export const addCard = (hand, card) =>
  step(hand, { cards: [...hand.cards, unseen(hand.nextId, card)], nextId: hand.nextId + 1 });

/**
 * A hand with what a second photo of it shows besides. A card that both photos show counts once; which these are is
 * kept in `shared`, since two equal cards, one on each photo, look the same.
 */
export function mergeHands(hand, second) {
  const left = hand.cards.map((held) => held.card);
  const shared = [];
  const ids = new Map();
  const added = [];
  for (const held of second.cards) {
    const place = left.indexOf(held.card);
    if (place >= 0 && held.card !== UNKNOWN) {
      left.splice(place, 1);
      shared.push(held.card);
    } else {
      const id = hand.nextId + added.length;
      ids.set(held.id, id);
      added.push({ ...held, id, startsGroup: false, quad: null, spots: [], box: null });
    }
  }
  const doubts = second.doubts
    .map((doubt) => ({ ...doubt, cards: doubt.cards.filter((id) => ids.has(id)).map((id) => ids.get(id)) }))
    .filter((doubt, place) => doubt.cards.length || !second.doubts[place].cards.length)
    .map((doubt, place) => ({ ...doubt, id: `second ${hand.nextId} ${place}` }));
  return step(hand, {
    cards: [...hand.cards, ...added],
    doubts: [...hand.doubts, ...doubts],
    scanned: [...hand.scanned, ...added.map((held) => held.card)],
    nextId: hand.nextId + added.length,
    shared,
  });
}

/** The hand after a person has read a doubt that names no card. */
export const noteDoubt = (hand, id) =>
  step(hand, { doubts: hand.doubts.map((doubt) => (doubt.id === id ? { ...doubt, noted: true } : doubt)) });

/** The hand before the last change. */
export const undo = (hand) => hand.before ?? hand;

/**
 * The doubts that are still open, each with the cards it is about that are still in the hand.
 * A doubt about the number of cards (too many copies, one card or two) is answered once one of them is gone; one
 * about too many copies also once they are no longer alike. Every other is answered card by card.
 */
export function openDoubts(hand) {
  const open = [];
  for (const doubt of hand.doubts) {
    const cards = hand.cards.filter((held) => doubt.cards.includes(held.id));
    const oneIsGone = cards.length < doubt.cards.length;
    const differ = new Set(cards.map((held) => held.card)).size > 1;
    const answered =
      (doubt.cards.length ? cards.every((held) => held.confirmed) : doubt.noted) ||
      (doubt.kind === "twice" && oneIsGone) ||
      (doubt.kind === "copies" && (oneIsGone || differ));
    if (!answered) open.push({ ...doubt, about: cards });
  }
  const named = new Set(open.flatMap((doubt) => doubt.about.map((held) => held.id)));
  for (const held of hand.cards) {
    if (held.card === UNKNOWN && !named.has(held.id)) {
      open.push({
        id: `card ${held.id}`,
        kind: "unread",
        text: "This card could not be read.",
        cards: [held.id],
        about: [held],
      });
    }
  }
  return open;
}

/** The ids of the cards that wait for a person's word. */
export const doubtfulIds = (doubts) =>
  new Set(
    doubts.flatMap((doubt) =>
      doubt.about.filter((held) => !held.confirmed || held.card === UNKNOWN).map((held) => held.id),
    ),
  );

/**
 * What a person made of the cards that were read, as the service takes it with a photo; null where nothing was changed.
 * `cards` has one for each card that was read, "-" where it was taken out.
 */
export function correctionOf(hand) {
  const put = hand.scanned.map((_, id) => hand.cards.find((held) => held.id === id)?.card ?? "-");
  const added = hand.cards.filter((held) => held.id >= hand.scanned.length).map((held) => held.card);
  if (!added.length && put.every((card, id) => card === hand.scanned[id])) return null;
  return { read: hand.scanned.join(" "), cards: put.join(" "), added: added.join(" ") };
}

/** The cards as the service counts them. */
export const codes = (hand) => hand.cards.map((held) => held.card);
