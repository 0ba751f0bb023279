import assert from "node:assert/strict";
import { test } from "node:test";

import { apart, chartOf, step } from "../../api/page/chart.js";

const SIZE = [360, 220];

test("levels are round numbers, five or fewer steps", () => {
  assert.deepEqual([10, 47, 100, 333, 1200].map(step), [2, 10, 20, 100, 500]);
});

test("lines start at nothing and lie within the chart", () => {
  const chart = chartOf(
    [
      { name: "Ana", totals: [0, 25, 25, 140] },
      { name: "Ben", totals: [0, 0, 55, 60] },
    ],
    SIZE,
  );
  const [ana, ben] = chart.lines;
  assert.deepEqual(ana.points[0], ben.points[0]);
  assert.equal(ana.points.length, 4);
  assert.ok(ana.points[3][1] < ben.points[3][1], "more points are higher");
  for (const [x, y] of [...ana.points, ...ben.points]) assert.ok(x >= 0 && x <= SIZE[0] && y >= 0 && y <= SIZE[1]);
  assert.deepEqual(
    chart.levels.map((level) => level.points),
    [0, 50, 100, 150],
  );
});

test("bonuses take totals below zero", () => {
  const chart = chartOf([{ name: "Ana", totals: [0, -50] }], SIZE);
  assert.ok(chart.levels[0].points <= -50);
  assert.ok(chart.lines[0].points[1][1] <= SIZE[1]);
});

test("a game that has not begun has a chart all the same", () => {
  const chart = chartOf([{ name: "Ana", totals: [0] }], SIZE);
  assert.equal(chart.lines[0].points.length, 1);
  assert.ok(chart.lines[0].points.flat().every(Number.isFinite));
});

test("names of equal totals do not lie over each other", () => {
  const moved = apart([100, 100, 100, 20], 15, 110);
  const sorted = [...moved].sort((one, other) => one - other);
  for (let place = 1; place < sorted.length; place += 1) assert.ok(sorted[place] - sorted[place - 1] >= 15);
  assert.ok(Math.max(...moved) <= 110);
});
