import assert from "node:assert/strict";
import { test } from "node:test";

import { ANSWER_MS, counting, doubtInWords, EMPTY_MS, startCounting, wanted } from "../../api/page/counting.js";

const NINE = { cards: ["9C", "KD", "3S"], points: 25, doubts: [], settled: true, text: "" };
const JOKER = { cards: ["JK"], points: 50, doubts: [], settled: true, text: "" };
const NOTHING = { cards: [], points: null, doubts: [], settled: false, text: "No cards were found." };
const UNSURE = {
  cards: ["3S"],
  points: 5,
  doubts: [{ kind: "unsure", text: "This may be the 3♠ or the 5♠: which is it?", cards: [0] }],
  settled: false,
  text: "",
};

/** A table at which things happen one after the other; what was said and done is kept. */
class Table {
  constructor(order = ["Ana", "Ben", "Cy"], out = null) {
    this.at = 0;
    this.done = [];
    this.#take(startCounting(order, out, 0));
  }

  #take([state, effects]) {
    this.state = state;
    this.done.push(...effects);
  }

  do(kind, detail = {}) {
    this.#take(counting(this.state, { kind, at: this.at, ...detail }));
    return this;
  }

  after(milliseconds) {
    this.at += milliseconds;
    return this.do("tick");
  }

  lay(hand) {
    return this.do("still").do("read", { hand });
  }

  count(hand) {
    return this.lay(hand).lay(NOTHING).do("recorded");
  }

  get said() {
    return this.done.filter((effect) => effect.say).map((effect) => effect.say);
  }

  all(name) {
    return this.done.filter((effect) => name in effect).map((effect) => effect[name]);
  }
}

test("a hand is read, spoken, and recorded once its cards are taken away", () => {
  const table = new Table();
  assert.match(table.said[0], /^Ana, please lay/);
  table.lay(NINE);
  assert.match(table.said.at(-1), /^nine of clubs, king of diamonds, three of spades: twenty-five\./);
  assert.deepEqual(table.all("record"), []);
  table.lay(NOTHING);
  assert.deepEqual(table.all("record"), [{ player: "Ana", cards: NINE.cards, points: 25 }]);
  assert.equal(table.state.phase, "recording");
  table.do("recorded");
  assert.equal(wanted(table.state), "Ben");
  assert.match(table.said.at(-1), /^Ana has twenty-five\. Ben, please lay/);
});

test("a warning is said and does not keep the hand from counting", () => {
  const table = new Table().lay({ ...NINE, warnings: ["Ana cannot have 3 cards in round 2."] });
  assert.match(table.said.at(-1), /twenty-five\. Ana cannot have 3 cards in round 2\. Take/);
  assert.equal(table.lay(NOTHING).all("record").length, 1);
});

test("a whole round ends with every hand in", () => {
  const table = new Table().count(NINE).count(JOKER);
  table.after(EMPTY_MS);
  assert.match(table.said.at(-1), /Did Cy go out\?/);
  table.after(ANSWER_MS);
  assert.deepEqual(table.all("record").at(-1), { player: "Cy", cards: [], points: 0 });
  table.do("recorded");
  assert.equal(table.state.phase, "done");
  assert.equal(table.said.at(-1), "Cy is out.");
  assert.deepEqual(table.all("close"), [true]);
});

test("an empty place is asked about before it counts, and cards answer no", () => {
  const table = new Table().lay(NOTHING);
  table.after(EMPTY_MS - 1);
  assert.equal(table.said.length, 1);
  table.after(1);
  assert.equal(table.state.phase, "asking");
  table.after(ANSWER_MS - 1).lay(NINE);
  assert.equal(table.state.phase, "spoken");
  table.after(10 * ANSWER_MS);
  assert.deepEqual(table.all("record"), []);
});

test("a place that nobody has looked at is not empty", () => {
  const table = new Table().after(100 * EMPTY_MS);
  assert.equal(table.said.length, 1);
});

test("only one player goes out", () => {
  const table = new Table(["Ben", "Cy"], "Ana").lay(NOTHING).after(EMPTY_MS);
  assert.match(table.said.at(-1), /^Ana went out already\. Ben, please lay/);
  table.after(ANSWER_MS - 1).after(100 * ANSWER_MS);
  assert.deepEqual(table.all("record"), []);
});

test("no to the question waits on, yes takes the player for out at once", () => {
  const table = new Table().lay(NOTHING).after(EMPTY_MS).do("no");
  assert.equal(table.state.phase, "waiting");
  table.after(EMPTY_MS);
  assert.equal(table.state.phase, "asking");
  table.do("yes");
  assert.deepEqual(table.all("record"), [{ player: "Ana", cards: [], points: 0 }]);
});

test("a doubt is spoken and nothing is recorded until it is put right", () => {
  const table = new Table().lay(UNSURE);
  assert.match(table.said.at(-1), /the three of spades or the five of spades/);
  assert.match(table.said.at(-1), /straighten/);
  table.lay(NOTHING);
  assert.deepEqual(table.all("record"), []);
  assert.equal(table.state.phase, "waiting");
  table.lay(UNSURE).lay(NINE);
  assert.equal(table.state.phase, "spoken");
});

test("the same doubt is not said again and again", () => {
  const table = new Table().lay(UNSURE).lay(UNSURE);
  assert.equal(table.said.length, 2);
});

test("what nobody could read is no empty place", () => {
  const table = new Table().lay({ ...NOTHING, doubts: [{ kind: "unread", text: "There may be a card.", cards: [] }] });
  assert.equal(table.state.phase, "doubt");
  table.after(100 * EMPTY_MS);
  assert.equal(table.said.length, 2);
});

test("other cards in place of the spoken ones are read anew", () => {
  const table = new Table().lay(NINE).lay(JOKER);
  assert.match(table.said.at(-1), /^joker: fifty/);
  table.lay(NOTHING);
  assert.deepEqual(table.all("record"), [{ player: "Ana", cards: ["JK"], points: 50 }]);
});

test("a hand confirmed by the button is not counted again as the next player's", () => {
  const table = new Table().lay(NINE).do("yes").do("recorded").lay(NINE);
  assert.match(table.said.at(-1), /These are Ana's cards/);
  assert.equal(table.all("record").length, 1);
  // Two players may well hold the same cards: once the place was empty they count.
  table.lay(NOTHING).lay(NINE);
  assert.equal(table.state.phase, "spoken");
});

test("undo drops what was spoken, then takes back what was recorded", () => {
  const table = new Table().count(NINE).lay(JOKER).do("undo");
  assert.equal(wanted(table.state), "Ben");
  assert.deepEqual(table.all("retract"), []);
  table.do("undo");
  assert.equal(wanted(table.state), "Ana");
  assert.deepEqual(table.all("retract"), [{ player: "Ana", cards: NINE.cards, points: 25 }]);
  table.do("undo");
  assert.equal(table.said.at(-1), "There is nothing to undo.");
});

test("undo after the last hand opens the round again", () => {
  const table = new Table(["Ana"]).count(NINE);
  assert.equal(table.state.phase, "done");
  table.do("undo");
  assert.equal(table.state.phase, "waiting");
  assert.equal(wanted(table.state), "Ana");
});

test("undo gives back the place of the one who went out", () => {
  const table = new Table().lay(NOTHING).after(EMPTY_MS).do("yes").do("recorded");
  assert.equal(table.state.out, "Ana");
  assert.equal(table.do("undo").state.out, null);
});

test("a locked screen pauses; afterwards the same player is asked again", () => {
  const table = new Table().count(NINE).lay(JOKER).do("pause");
  assert.equal(table.state.phase, "paused");
  table.do("still").after(100 * EMPTY_MS);
  assert.equal(table.state.phase, "paused");
  table.do("resume");
  assert.match(table.said.at(-1), /^Ben, please/);
  assert.deepEqual(table.all("rearm"), ["now"]);
  table.lay(NOTHING);
  assert.equal(table.all("record").length, 1);
});

test("what is being read when the screen locks is not heard of afterwards", () => {
  const table = new Table().do("still").do("pause").do("resume").do("read", { hand: NINE });
  assert.equal(table.state.phase, "waiting");
});

test("cards laid while another scene is being read are read instead", () => {
  const table = new Table().do("still").do("still");
  assert.deepEqual(table.all("read"), [true, true]);
  assert.equal(table.do("read", { hand: NINE }).state.phase, "spoken");
});

test("cards laid while a hand is being recorded are looked at afterwards", () => {
  const table = new Table().lay(NINE).lay(NOTHING).do("still");
  assert.deepEqual(table.all("rearm"), []);
  table.do("recorded");
  assert.deepEqual(table.all("rearm"), ["now"]);
  table.lay(JOKER).lay(NOTHING).do("recorded");
  assert.deepEqual(table.all("rearm"), ["now"], "once only");
});

test("repeat says the last sentence again", () => {
  const table = new Table().lay(NINE).do("repeat");
  assert.equal(table.said.at(-1), table.said.at(-2));
});

test("a service that is away is said once, and tried again", () => {
  const table = new Table();
  for (let turn = 0; turn < 3; turn += 1) table.do("still").do("unread", { sentence: "The service does not answer." });
  assert.equal(table.said.filter((text) => text.startsWith("The service")).length, 1);
  assert.deepEqual(table.all("rearm"), ["later", "later", "later"]);
  assert.equal(table.lay(NINE).state.phase, "spoken");
});

test("cards that could not be read after the question are no answer to it", () => {
  const table = new Table().lay(NOTHING).after(EMPTY_MS).do("still").do("unread", { sentence: "The service is away." });
  table.after(100 * ANSWER_MS);
  assert.deepEqual(table.all("record"), []);
});

test("a hand that another phone has entered is not asked for", () => {
  const table = new Table().do("entered", { player: "Ben", isOut: true });
  assert.equal(wanted(table.state), "Ana");
  assert.equal(table.state.out, "Ben");
  table.do("entered", { player: "Ana", isOut: false });
  assert.match(table.said.at(-1), /^Ana's hand is in\. Cy, please/);
});

test("a hand that the service refuses is told, and the round goes on", () => {
  const table = new Table().lay(NINE).lay(NOTHING);
  table.do("refused", { sentence: "Ben's phone has recorded Ana's hand already." });
  assert.match(table.said.at(-1), /^Ben's phone has recorded/);
  assert.equal(wanted(table.state), "Ben");
  assert.deepEqual(table.state.counted, []);
});

test("a player can be put off", () => {
  const table = new Table().do("skip");
  assert.deepEqual(table.state.order, ["Ben", "Cy", "Ana"]);
});

test("a hand put right on the screen is spoken", () => {
  const table = new Table().lay(UNSURE).do("corrected", { hand: NINE });
  assert.equal(table.state.phase, "spoken");
  table.lay(NOTHING);
  assert.deepEqual(table.all("record")[0].cards, NINE.cards);
});

test("nobody is asked where every hand is in", () => {
  assert.equal(new Table([]).state.phase, "done");
});

test("a hand without a sum says why", () => {
  const hand = { cards: ["8C", "8C", "8C"], doubts: [], text: "3 × 8♣ cannot be." };
  assert.equal(doubtInWords(hand), "3 times eight of clubs cannot be.");
});
