import assert from "node:assert/strict";
import { test } from "node:test";

import { canListen, commandOf } from "../../api/page/voice.js";

test("a few words are commands, other talk is none", () => {
  const heard = { "Undo that": "undo", "yes please": "yes", "that's wrong": "no", "go on": "resume", "Say it again": "repeat" };
  for (const [text, command] of Object.entries(heard)) assert.equal(commandOf(text), command);
  for (const text of ["nothing", "knowing the rules", "your deal"]) assert.equal(commandOf(text), null);
});

test("where there is no recognition nobody listens", () => assert.equal(canListen(), false));
