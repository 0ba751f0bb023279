import assert from "node:assert/strict";
import { test } from "node:test";

import { cardInWords, count, handInWords, listed, number, points, sayable, typedSum } from "../../api/page/wording.js";

test("a hand is said as people say it", () => {
  assert.equal(handInWords(["9C", "KD", "3S"], 25), "nine of clubs, king of diamonds, three of spades: twenty-five");
});

test("cards that are alike are said together", () => {
  assert.equal(handInWords(["6H", "JK", "6H", "JK"], 110), "two sixes of hearts, two jokers: one hundred and ten");
});

test("numbers", () => {
  const words = {
    0: "zero",
    13: "thirteen",
    20: "twenty",
    41: "forty-one",
    100: "one hundred",
    105: "one hundred and five",
    342: "three hundred and forty-two",
    1000: "one thousand",
    1040: "one thousand and forty",
    2300: "two thousand three hundred",
  };
  for (const [value, text] of Object.entries(words)) assert.equal(number(Number(value)), text);
  assert.equal(number(-50), "minus fifty");
});

test("every card has words of its own", () => {
  const codes = [..."A23456789TJQK"].flatMap((rank) => [..."CDHS"].map((suit) => rank + suit));
  assert.equal(new Set([...codes, "JK", "?"].map((card) => cardInWords(card))).size, 54);
  assert.equal(cardInWords("TD"), "ten of diamonds");
});

test("sentences of the screen become sayable", () => {
  assert.equal(sayable("Is it the 10♦ or the K♠\uFE0E?"), "Is it the ten of diamonds or the king of spades?");
  assert.equal(sayable("Round 10 is over."), "Round 10 is over.");
});

test("names are listed", () => {
  assert.deepEqual([[], ["Ana"], ["Ana", "Ben"], ["Ana", "Ben", "Cy"]].map(listed), [
    "",
    "Ana",
    "Ana and Ben",
    "Ana, Ben and Cy",
  ]);
  assert.equal(count(1, "card"), "1 card");
  assert.equal(count(2, "card"), "2 cards");
});

test("points are counted, also those given back", () => {
  assert.deepEqual([1, 25, -50].map(points), ["1 point", "25 points", "−50 points"]);
});

test("a sum may be typed", () => {
  assert.equal(typedSum("12+11 + 7"), 30);
  assert.equal(typedSum("0"), 0);
  for (const text of ["", "+", "12+", "1e3", "12-4", "twelve"]) assert.equal(typedSum(text), null);
});
