import assert from "node:assert/strict";
import { webcrypto } from "node:crypto";
import { test } from "node:test";

import { memoryStore, newKey, Outbox } from "../../api/page/outbox.js";

// Older versions of Node.js do not have it where browsers do.
globalThis.crypto ??= webcrypto;

const away = () => Object.assign(new Error("The service does not answer."), { isPassing: true });
const entry = (key, at = 0) => ({ key, at, body: { player: key } });

/** A service that is away until it is told otherwise; it keeps what it was sent. */
function service() {
  const self = {
    isAway: false,
    sent: [],
    send: async ({ key }) => {
      await Promise.resolve();
      if (self.isAway) throw away();
      self.sent.push(key);
      return { number: self.sent.length };
    },
  };
  return self;
}

test("what is added is sent at once, and gone", async () => {
  const { sent, send } = service();
  const told = [];
  const outbox = new Outbox(memoryStore(), send, (state) => told.push(state));
  assert.deepEqual(await outbox.add(entry("one")), { answer: { number: 1 } });
  assert.deepEqual(sent, ["one"]);
  assert.deepEqual(told, [{ waiting: [], late: [] }]);
});

test("while the service is away entries wait, then each is sent once and in order", async () => {
  const there = service();
  there.isAway = true;
  const outbox = new Outbox(memoryStore(), there.send);
  for (const key of ["one", "two", "three"]) assert.equal(await outbox.add(entry(key)), null);
  there.isAway = false;
  await Promise.all([outbox.drain(), outbox.drain(), outbox.add(entry("four"))]);
  assert.deepEqual(there.sent, ["one", "two", "three", "four"]);
});

test("who adds hears what became of the entry, also where another's turn has sent it", async () => {
  const { send } = service();
  const outbox = new Outbox(memoryStore(), send);
  const outcomes = await Promise.all(["one", "two", "three"].map((key) => outbox.add(entry(key))));
  assert.deepEqual(
    outcomes.map((outcome) => outcome.answer.number),
    [1, 2, 3],
  );
});

test("an entry is kept under the same key until it is acknowledged", async () => {
  const tried = [];
  let turn = 0;
  const outbox = new Outbox(memoryStore(), async ({ key }) => {
    tried.push(key);
    turn += 1;
    // The first answer gets lost on its way back.
    if (turn === 1) throw away();
    return {};
  });
  await outbox.add(entry("one"));
  await outbox.drain();
  await outbox.drain();
  assert.deepEqual(tried, ["one", "one"]);
});

test("what the service refuses for good does not hold up the rest", async () => {
  const refusal = new Error("There is no such game.");
  const outbox = new Outbox(memoryStore(), async ({ key }) => {
    if (key === "one") throw refusal;
    return {};
  });
  assert.equal((await outbox.add(entry("one"))).refusal, refusal);
  assert.deepEqual(await outbox.add(entry("two")), { answer: {} });
});

test("a refusal that comes when nobody waits for it any more is told", async () => {
  const refusal = new Error("Ben's phone has recorded this hand already.");
  const store = memoryStore();
  await store.put(entry("one"));
  const told = [];
  await new Outbox(store, () => Promise.reject(refusal), (state) => told.push(state)).drain();
  assert.deepEqual(told, [{ waiting: [], late: [{ entry: entry("one"), refusal }] }]);
});

test("entries outlive the page", async () => {
  const there = service();
  there.isAway = true;
  const store = memoryStore();
  await new Outbox(store, there.send).add(entry("one"));
  there.isAway = false;
  await new Outbox(store, there.send).drain();
  assert.deepEqual(there.sent, ["one"]);
});

test("a store that fails is told, and the next entry is still taken", async () => {
  const store = memoryStore();
  const { all } = store;
  store.all = async () => {
    store.all = all;
    throw new Error("the disk is full");
  };
  const outbox = new Outbox(store, async () => ({}));
  await assert.rejects(outbox.add(entry("one")), /disk is full/);
  assert.deepEqual(await outbox.add(entry("two", 1)), { answer: {} });
  assert.deepEqual(await store.all(), []);
});

test("keys are long and differ", () => {
  assert.match(newKey(), /^[0-9a-f]{32}$/);
  assert.notEqual(newKey(), newKey());
});
