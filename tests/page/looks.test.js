import assert from "node:assert/strict";
import { test } from "node:test";

import { joinFrames } from "../../api/page/looks.js";

test("each frame follows its length in four bytes", async () => {
  const body = joinFrames([new Blob(["ab"]), new Blob([new Uint8Array(300)])]);
  const bytes = new Uint8Array(await body.arrayBuffer());
  assert.deepEqual([...bytes.slice(0, 10)], [0, 0, 0, 2, 97, 98, 0, 0, 1, 44]);
  assert.equal(bytes.length, 4 + 2 + 4 + 300);
});

test("no frame is an empty body", () => assert.equal(joinFrames([]).size, 0));
