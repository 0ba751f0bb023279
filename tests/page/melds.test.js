import assert from "node:assert/strict";
import { test } from "node:test";

import { changeCard, codesOf, dropCard, layCard, meldsOf, moveCard, noMelds, undo } from "../../api/page/melds.js";

const scene = (...groups) => {
  const codes = groups.flatMap((group) => group.split(" "));
  let place = 0;
  return {
    size: [100, 80],
    cards: codes.map((card, at) => ({ card, confidence: 1, quad: [[0, 0], [1, 0], [1, 1], [0, 1]], alternatives: [], corners: [at] })),
    corners: codes.map((card) => ({ box: [0, 0, 1, 1], card, confidence: 1 })),
    groups: groups.map((group) => group.split(" ").map(() => place++)),
    doubts: [],
  };
};
const MELDS = meldsOf(scene("8C 8D JK 5S", "6S 7S 8S"));

test("a card moves to another group, and back by undo", () => {
  const moved = moveCard(MELDS, 3, 1);
  assert.deepEqual(codesOf(moved), ["8C 8D JK", "6S 7S 8S 5S"]);
  assert.deepEqual(codesOf(undo(moved)), ["8C 8D JK 5S", "6S 7S 8S"]);
  assert.equal(moveCard(MELDS, 3, 0), MELDS);
});

test("a card moved beyond the last group begins one; a group that is empty is gone", () => {
  const alone = moveCard(MELDS, 3, 2);
  assert.deepEqual(codesOf(alone), ["8C 8D JK", "6S 7S 8S", "5S"]);
  assert.deepEqual(codesOf(moveCard(alone, 3, 1)), ["8C 8D JK", "6S 7S 8S 5S"]);
});

test("cards change, go and come", () => {
  assert.deepEqual(codesOf(changeCard(MELDS, 2, "8H")), ["8C 8D 8H 5S", "6S 7S 8S"]);
  assert.deepEqual(codesOf(dropCard(MELDS, 3)), ["8C 8D JK", "6S 7S 8S"]);
  assert.deepEqual(codesOf(layCard(MELDS, 1, "9S")), ["8C 8D JK 5S", "6S 7S 8S 9S"]);
  assert.deepEqual(codesOf(layCard(layCard(noMelds(), 0, "9S"), 1, "2H")), ["9S", "2H"]);
});

test("nothing that is changed touches what was before", () => {
  const before = JSON.stringify(MELDS.groups);
  layCard(dropCard(moveCard(MELDS, 0, 1), 1), 0, "JK");
  assert.equal(JSON.stringify(MELDS.groups), before);
});
