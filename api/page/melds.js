// The melds on a photo while they are being put right: cards in groups, one step back. Pure functions of frozen values.

import { handOf } from "./hand.js";

/** The melds of a scene: `cards` as a hand has them, `groups` of their ids. */
export function meldsOf(scene) {
  const { size, cards, doubts, nextId } = handOf(scene);
  return { size, cards, doubts, nextId, groups: scene.groups.map((ids) => [...ids]), before: null };
}

/** Melds without a picture. */
export const noMelds = () => ({ size: null, cards: [], doubts: [], nextId: 0, groups: [[]], before: null });

const step = (melds, change) => ({ ...melds, ...change, before: melds });

const withoutCard = (groups, id) => groups.map((ids) => ids.filter((other) => other !== id));

const filled = (groups) => groups.filter((ids) => ids.length);

/** A card laid to another group, after its cards; a place beyond the last makes a new group. */
export function moveCard(melds, id, group) {
  if (melds.groups[group]?.includes(id)) return melds;
  const groups = withoutCard(melds.groups, id);
  if (group < groups.length) groups[group].push(id);
  else groups.push([id]);
  return step(melds, { groups: filled(groups) });
}

export const changeCard = (melds, id, card) =>
  step(melds, { cards: melds.cards.map((held) => (held.id === id ? { ...held, card, confirmed: true } : held)) });

export const dropCard = (melds, id) =>
  step(melds, {
    cards: melds.cards.filter((held) => held.id !== id),
    groups: filled(withoutCard(melds.groups, id)),
  });

/** A card more, which the photo does not show; a place beyond the last makes a new group. */
export function layCard(melds, group, card) {
  const id = melds.nextId;
  const held = { id, card, read: null, quad: null, spots: [], box: null, up: [0, -1], alternatives: [], confirmed: true };
  const groups = melds.groups.map((ids) => [...ids]);
  if (group < groups.length) groups[group].push(id);
  else groups.push([id]);
  return step(melds, { cards: [...melds.cards, held], groups: filled(groups), nextId: id + 1 });
}

export const undo = (melds) => melds.before ?? melds;

/** The cards of a group, in its order. */
export const cardsOf = (melds, group) =>
  melds.groups[group].map((id) => melds.cards.find((held) => held.id === id));

/** The melds as the service judges them. */
export const codesOf = (melds) =>
  filled(melds.groups).map((ids) => ids.map((id) => melds.cards.find((held) => held.id === id).card).join(" "));
