import assert from "node:assert/strict";
import { test } from "node:test";

import {
  addCard,
  codes,
  correctionOf,
  handOf,
  handOfCards,
  mergeHands,
  openDoubts,
  removeCard,
  settleCard,
  undo,
} from "../../api/page/hand.js";

const QUAD = [
  [0, 0],
  [10, 0],
  [10, 14],
  [0, 14],
];
const sceneOf = (cards, doubts = []) => ({
  size: [100, 80],
  cards: cards.map((card, place) => ({ card, confidence: 1, quad: QUAD, alternatives: [], corners: [place] })),
  corners: cards.map((card) => ({ box: [0, 0, 4, 8], card, confidence: 1 })),
  groups: [cards.map((_, place) => place)],
  doubts,
});

test("a second photo adds what is new and counts nothing twice", () => {
  const first = handOf(sceneOf(["9C", "KD", "8H", "8H"]));
  const both = mergeHands(first, handOf(sceneOf(["8H", "KD", "3S", "KD"])));
  assert.deepEqual(codes(both), ["9C", "KD", "8H", "8H", "3S", "KD"]);
  assert.deepEqual(both.shared, ["8H", "KD"]);
  assert.deepEqual(codes(undo(both)), codes(first));
});

test("what was read stays known, whatever a person makes of it", () => {
  const hand = handOf(sceneOf(["9C", "KD"]));
  const put = addCard(removeCard(settleCard(hand, 0, "8C"), 1), "3S");
  assert.deepEqual(codes(put), ["8C", "3S"]);
  assert.deepEqual(put.scanned, ["9C", "KD"]);
  assert.deepEqual(mergeHands(put, handOf(sceneOf(["3S", "5H"]))).scanned, ["9C", "KD", "5H"]);
  assert.equal(addCard(handOfCards(), "3S").scanned, null);
});

test("a correction says card by card what became of what was read", () => {
  const hand = handOf(sceneOf(["9C", "KD", "4H"]));
  assert.equal(correctionOf(hand), null);
  assert.equal(correctionOf(settleCard(hand, 1, "KD")), null);
  const put = addCard(removeCard(settleCard(hand, 0, "8C"), 1), "3S");
  assert.deepEqual(correctionOf(put), { read: "9C KD 4H", cards: "8C - 4H", added: "3S" });
});

test("doubts of the second photo are about the cards that it added", () => {
  const doubts = [
    { kind: "unsure", text: "3♠ or 5♠?", cards: [1] },
    { kind: "unsure", text: "9♣ or 8♣?", cards: [0] },
    { kind: "unread", text: "There may be a card more.", cards: [] },
  ];
  const both = mergeHands(handOf(sceneOf(["9C"])), handOf(sceneOf(["9C", "3S"], doubts)));
  const open = openDoubts(both);
  assert.deepEqual(
    open.map((doubt) => doubt.text),
    ["3♠ or 5♠?", "There may be a card more."],
  );
  assert.deepEqual(
    open[0].about.map((held) => held.card),
    ["3S"],
  );
  assert.equal(openDoubts(settleCard(both, open[0].about[0].id, "5S")).length, 1);
});

test("whether one card was read twice is answered once one of the two is gone, or both are confirmed", () => {
  const doubts = [{ kind: "twice", text: "8♣ was read twice at one place: are these one card or two?", cards: [0, 1] }];
  const hand = handOf(sceneOf(["8C", "8C"], doubts));
  const [first, second] = openDoubts(hand)[0].about;
  assert.deepEqual(openDoubts(removeCard(hand, first.id)), []);
  const half = settleCard(hand, first.id, "8C");
  assert.equal(openDoubts(half).length, 1);
  assert.deepEqual(openDoubts(settleCard(half, second.id, "8C")), []);
});

test("a card that could not be read is never taken for one that was", () => {
  assert.deepEqual(codes(mergeHands(handOf(sceneOf(["?"])), handOf(sceneOf(["?"])))), ["?", "?"]);
});

test("a hand that is known has no doubts and can be added to", () => {
  const hand = handOfCards(["9C", "KD"]);
  assert.deepEqual(openDoubts(hand), []);
  assert.deepEqual(codes(addCard(hand, "JK")), ["9C", "KD", "JK"]);
});
