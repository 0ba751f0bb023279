import assert from "node:assert/strict";
import { test } from "node:test";

import { hull, isInside, letterbox, toBox, toPicture } from "../../api/page/geometry.js";

test("a wide picture in a tall box has bars above and below", () => {
  const placed = letterbox([1920, 1080], [360, 740]);
  assert.deepEqual(placed, { scale: 360 / 1920, left: 0, top: (740 - 202.5) / 2 });
  assert.deepEqual(toBox(placed, [1920, 1080]), [360, placed.top + 202.5]);
});

test("a tall picture in a wide box has bars at the sides", () => {
  const placed = letterbox([600, 800], [1000, 400]);
  assert.deepEqual(placed, { scale: 0.5, left: 350, top: 0 });
});

test("there and back", () => {
  const placed = letterbox([1280, 720], [411, 300]);
  const [x, y] = toPicture(placed, toBox(placed, [333, 444]));
  assert.ok(Math.abs(x - 333) < 1e-9 && Math.abs(y - 444) < 1e-9);
});

test("the outline around cards is convex and leaves out what lies within", () => {
  const square = [
    [0, 0],
    [10, 0],
    [10, 10],
    [0, 10],
  ];
  const outline = hull([...square, [5, 5], [5, 0], [9, 9]]);
  assert.deepEqual(new Set(outline.map(String)), new Set(square.map(String)));
  assert.equal(isInside([5, 5], outline), true);
  assert.equal(isInside([11, 5], outline), false);
});
