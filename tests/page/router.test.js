import assert from "node:assert/strict";
import { test } from "node:test";

import { addressOf, parse } from "../../api/page/router.js";

test("an address and what it stands for", () => {
  const address = addressOf(["game", "Zk3v", "score", "Aunt Jo/é?#"], { round: 2 });
  assert.equal(address, "#/game/Zk3v/score/Aunt%20Jo%2F%C3%A9%3F%23?round=2");
  const { parts, query } = parse(address);
  assert.deepEqual(parts, ["game", "Zk3v", "score", "Aunt Jo/é?#"]);
  assert.equal(query.get("round"), "2");
});

test("no address is the first screen", () => {
  for (const hash of ["", "#", "#/"]) assert.deepEqual(parse(hash).parts, []);
});
