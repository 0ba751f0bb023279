import assert from "node:assert/strict";
import { test } from "node:test";

import { closingInWords } from "../../api/page/closing.js";

const GAME = {
  players: [
    { name: "Ana", total: 90 },
    { name: "Ben", total: 25 },
  ],
  round: { number: 2, question: null },
  next_round: { number: 3, contract: { words: "2 runs of 4" }, dealer: "Ben" },
  finished: false,
  winners: [],
};

test("totals, lowest first, then the next contract and dealer", () => {
  assert.equal(
    closingInWords(GAME),
    "Totals after round two: Ben twenty-five, Ana ninety. Round three: 2 runs of 4. Ben deals.",
  );
});

test("what is odd about the round is asked", () => {
  const odd = { ...GAME, round: { number: 2, question: "Nobody went out in round 2: is a hand wrong?" } };
  assert.match(closingInWords(odd), /Nobody went out in round 2/);
});

test("the end names who won", () => {
  const end = { ...GAME, finished: true, next_round: null };
  assert.match(closingInWords({ ...end, winners: ["Ben"] }), /Ben wins\.$/);
  assert.match(closingInWords({ ...end, winners: ["Ana", "Ben"] }), /Ana and Ben share the win\.$/);
});
