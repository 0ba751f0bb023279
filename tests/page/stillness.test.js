import assert from "node:assert/strict";
import { test } from "node:test";

import { difference, forget, greyOf, HEIGHT, newWatch, seeFrame, sharpness, take, WIDTH } from "../../api/page/stillness.js";

/** A grey picture of cards as light boxes on a dark ground, with a little noise. */
function picture(boxes = [], { noise = 2, blur = 0, seed = 1 } = {}) {
  let state = seed;
  const random = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
  const grey = new Float64Array(WIDTH * HEIGHT).fill(60);
  for (const [left, top, wide, high] of boxes) {
    for (let y = top; y < top + high; y += 1) grey.fill(220, y * WIDTH + left, y * WIDTH + left + wide);
  }
  for (let turn = 0; turn < blur; turn += 1) {
    const before = grey.slice();
    for (let place = 1; place < grey.length - 1; place += 1) {
      grey[place] = (before[place - 1] + before[place] + before[place + 1]) / 3;
    }
  }
  return Uint8Array.from(grey, (value) => Math.max(0, Math.min(255, value + noise * (2 * random() - 1))));
}

/** The watch after the pictures, one every 100 ms. */
const watched = (pictures, watch = newWatch()) =>
  pictures.reduce((state, grey, turn) => seeFrame(state, grey, 100 * turn), watch);

const CARD = [60, 40, 25, 35];
const rest = (boxes, turns = 9) => Array.from({ length: turns }, (_, turn) => picture(boxes, { seed: turn + 1 }));

test("a scene at rest is still after 600 ms, not before", () => {
  assert.equal(watched(rest([CARD], 6)).isStill, false);
  assert.equal(watched(rest([CARD], 8)).isStill, true);
});

test("a hand that moves is not still, however small", () => {
  const moving = Array.from({ length: 12 }, (_, turn) => picture([CARD, [4 * turn, 100, 12, 12]], { seed: turn + 1 }));
  assert.equal(watched(moving).isStill, false);
});

test("a scene that was taken is new again only once a card has gone or come", () => {
  const taken = take(watched(rest([CARD])));
  assert.equal(watched(rest([CARD]), taken).isNew, false);
  assert.equal(watched(rest([]), taken).isNew, true);
  assert.equal(watched(rest([CARD, [110, 30, 10, 14]]), taken).isNew, true);
  assert.equal(watched(rest([CARD]), forget(taken)).isNew, true);
});

test("a lens that has lost its focus is waited for", () => {
  assert.ok(sharpness(picture([CARD])) > 2 * sharpness(picture([CARD], { blur: 6 })));
  const crisp = watched(rest([CARD]));
  assert.equal(crisp.isStill, true);
  const hunting = { ...crisp, best: 3 * sharpness(crisp.last) };
  assert.equal(seeFrame(hunting, picture([CARD], { seed: 20 }), 2000).isStill, false);
});

test("an empty place may be as still as any other", () => {
  assert.equal(watched(rest([])).isStill, true);
});

test("difference is that of the block that changed most", () => {
  const black = new Uint8Array(WIDTH * HEIGHT);
  const spot = black.slice();
  for (let y = 20; y < 40; y += 1) spot.fill(100, y * WIDTH + 20, y * WIDTH + 40);
  assert.equal(difference(black, spot), 100);
  assert.equal(difference(black, black), 0);
});

test("grey is the luma", () => {
  assert.deepEqual([...greyOf([0, 0, 0, 255, 255, 255, 255, 255, 0, 255, 0, 255])], [0, 255, 149]);
});
