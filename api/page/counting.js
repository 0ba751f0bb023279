// Counting a round hands-free, as a machine of pure functions: it is told what happens, and answers with its next state
// and with what to do. It never looks at a clock, a camera or the service itself.
//
//   waiting    the wanted player's cards are awaited
//   reading    a still scene is being read
//   doubt      something about the cards must be put right on the table first
//   spoken     cards and points were said; taking the cards away confirms them
//   asking     the place is empty: did the player go out?
//   recording  the hand is on its way to the service
//   paused     until somebody says go on, or the screen is unlocked
//   done       every hand is in

import { cardsInWords, handInWords, number, sayable } from "./wording.js";

export const EMPTY_MS = 8000;
export const ANSWER_MS = 8000;

const ADVICE = {
  unsure: "Please straighten the cards so that their corners show.",
  faint: "Please spread the cards so that every corner shows.",
  unread: "Please spread the cards so that every corner shows.",
  overlap: "Please spread the cards; two of them overlap.",
  copies: "Please lay each card only once.",
};
const CANNOT_TELL = "I cannot tell these cards yet. Please spread them so that every corner shows.";

/** The player whose hand is wanted; null once all are in. */
export const wanted = (state) => state.order[0] ?? null;

const prompt = (state) => `${wanted(state)}, please lay your cards under the camera.`;

const say = (state, text) => [{ ...state, said: text }, [{ say: text }]];

/** Back to awaiting the wanted player's cards. A place that is empty already has been so since now. */
const awaiting = (state, at) => ({
  ...state,
  phase: "waiting",
  hand: null,
  from: null,
  since: at,
  emptySince: state.isEmpty ? at : null,
});

/**
 * The machine at its start.
 * @param {string[]} order the players whose hands are wanted, in the order in which they are asked
 * @param {string | null} out who went out already in this round
 * @param {number} at the time in milliseconds
 */
export function startCounting(order, out, at) {
  const state = awaiting({ order, out, counted: [], said: "", isEmpty: false, isMissed: false }, at);
  return order.length ? say(state, prompt(state)) : finish(state);
}

function finish(state) {
  return [{ ...state, phase: "done" }, [{ close: true }]];
}

function then([state, effects], more) {
  return [state, [...effects, more]];
}

/** What is said of a hand that is not settled. */
export function doubtInWords({ cards, doubts, text }) {
  if (!doubts.length) return text ? sayable(text) : CANNOT_TELL;
  const sentences = doubts.map((doubt) => sayable(doubt.text));
  const advice = new Set(doubts.map((doubt) => ADVICE[doubt.kind] ?? CANNOT_TELL));
  return [...sentences.slice(0, 2), [...advice][0], cards.length ? `I see ${cardsInWords(cards)}.` : ""]
    .join(" ")
    .trim();
}

/** What is said of a hand that is settled; a warning does not keep it from counting. */
const settledInWords = ({ cards, points, warnings = [] }) =>
  [`${handInWords(cards, points)}.`, ...warnings.map(sayable), "Take the cards away if that is right."].join(" ");

const sameCards = (one, other) => [...one].sort().join() === [...other].sort().join();

function record(state, hand) {
  const entry = { player: wanted(state), cards: hand.cards, points: hand.points };
  return [{ ...state, phase: "recording", hand }, [{ record: entry }]];
}

function goOut(state) {
  return record(state, { cards: [], points: 0 });
}

const HANDLERS = {
  /** A new scene lies still. While another is being read, this one takes its place. */
  still(state) {
    if (state.phase === "reading") return [state, [{ read: true }]];
    if (state.phase === "recording") return [{ ...state, isMissed: true }, []];
    if (!["waiting", "doubt", "spoken", "asking"].includes(state.phase)) return [state, []];
    return [{ ...state, phase: "reading", from: state.phase }, [{ read: true }]];
  },

  /** The scene was read: its cards, their points, and whether they count as they lie. */
  read(state, { hand, at }) {
    if (state.phase !== "reading") return [state, []];
    const isEmpty = !hand.cards.length && !hand.doubts.length;
    const back = { ...state, phase: state.from, from: null, isEmpty };
    if (isEmpty) {
      if (back.phase === "spoken") return record(back, back.hand);
      return [back.phase === "asking" ? back : awaiting(back, at), []];
    }
    const last = state.counted.at(-1);
    // A hand confirmed by the button still lies there, and must not be counted as the next player's.
    if (last && !state.isEmpty && back.hand === null && sameCards(last.cards, hand.cards)) {
      return say(awaiting(back, at), `These are ${last.player}'s cards. Please take them away. ${prompt(state)}`);
    }
    const isSame = back.hand !== null && sameCards(back.hand.cards, hand.cards);
    const phase = hand.settled ? "spoken" : "doubt";
    const next = { ...back, phase, hand, emptySince: null };
    if (isSame && back.phase === phase) return [next, []];
    if (!hand.settled) return say(next, doubtInWords(hand));
    return say(next, settledInWords(hand));
  },

  /** The scene could not be read. */
  unread(state, { sentence, at }) {
    if (state.phase !== "reading") return [state, []];
    const isAsked = state.from === "asking";
    // Something was laid down, so nobody knows any more that the place is empty.
    const back = isAsked ? awaiting({ ...state, isEmpty: false }, at) : { ...state, phase: state.from, from: null };
    return then(state.said === sentence ? [back, []] : say(back, sentence), { rearm: "later" });
  },

  /** Somebody put the hand right on the screen. */
  corrected(state, { hand }) {
    if (!["spoken", "doubt"].includes(state.phase)) return [state, []];
    const next = { ...state, phase: hand.settled ? "spoken" : "doubt", hand };
    if (!hand.settled) return [next, []];
    return say(next, settledInWords(hand));
  },

  tick(state, { at }) {
    if (state.phase === "asking" && at - state.since >= ANSWER_MS) return goOut(state);
    if (state.phase !== "waiting" || state.emptySince === null || at - state.emptySince < EMPTY_MS) return [state, []];
    if (state.out !== null) {
      return say({ ...state, emptySince: at }, `${state.out} went out already. ${prompt(state)}`);
    }
    const question = `The place is empty. Did ${wanted(state)} go out? Leave it empty for yes, or lay the cards down.`;
    return say({ ...state, phase: "asking", since: at }, question);
  },

  yes(state) {
    if (state.phase === "asking") return goOut(state);
    if (state.phase === "spoken") return record(state, state.hand);
    return [state, []];
  },

  no(state, { at }) {
    if (state.phase === "asking") return say(awaiting(state, at), prompt(state));
    if (state.phase === "spoken") return HANDLERS.undo(state, { at });
    return [state, []];
  },

  /** The service has the hand. */
  recorded(state, { at }) {
    if (state.phase !== "recording") return [state, []];
    const entry = { player: wanted(state), cards: state.hand.cards, points: state.hand.points };
    const isOut = !entry.cards.length;
    const told = isOut ? `${entry.player} is out.` : `${entry.player} has ${number(entry.points)}.`;
    return goOn({ ...state, counted: [...state.counted, entry], out: isOut ? entry.player : state.out }, told, at);
  },

  /** The service did not take the hand, for instance since another phone was quicker. */
  refused(state, { sentence, at }) {
    return state.phase === "recording" ? goOn(state, sayable(sentence), at) : [state, []];
  },

  /** Another phone entered a hand. */
  entered(state, { player, isOut, at }) {
    if (!state.order.includes(player)) return [state, []];
    const next = { ...state, out: isOut ? player : state.out };
    if (player !== wanted(state)) return [{ ...next, order: state.order.filter((other) => other !== player) }, []];
    if (state.phase === "recording" || state.phase === "paused") return [next, []];
    return then(goOn(next, `${player}'s hand is in.`, at), { rearm: "now" });
  },

  skip(state, { at }) {
    if (["recording", "paused", "done"].includes(state.phase) || state.order.length < 2) return [state, []];
    const next = awaiting({ ...state, order: [...state.order.slice(1), state.order[0]] }, at);
    return then(say(next, prompt(next)), { rearm: "now" });
  },

  undo(state, { at }) {
    if (state.phase === "recording" || state.phase === "paused") return [state, []];
    if (["spoken", "doubt", "asking", "reading"].includes(state.phase)) {
      const next = awaiting(state, at);
      return then(say(next, `Undone. ${prompt(next)}`), { rearm: "now" });
    }
    const last = state.counted.at(-1);
    if (!last) return say(state, "There is nothing to undo.");
    const next = awaiting(
      {
        ...state,
        order: [last.player, ...state.order],
        counted: state.counted.slice(0, -1),
        out: state.out === last.player ? null : state.out,
      },
      at,
    );
    const [after, effects] = say(next, `${last.player}'s hand is taken back. ${prompt(next)}`);
    return [after, [{ retract: last }, ...effects, { rearm: "now" }]];
  },

  repeat(state) {
    return [state, state.said ? [{ say: state.said }] : []];
  },

  pause(state) {
    if (["paused", "recording", "done"].includes(state.phase)) return [state, []];
    return [{ ...state, phase: "paused", hand: null, from: null }, [{ hush: true }]];
  },

  /** Going on begins with the same player anew: what lay there may have been moved meanwhile. */
  resume(state, { at }) {
    if (state.phase !== "paused") return [state, []];
    const next = awaiting({ ...state, isEmpty: false }, at);
    return then(say(next, prompt(next)), { rearm: "now" });
  },
};

function goOn(state, told, at) {
  const next = awaiting({ ...state, order: state.order.slice(1), isMissed: false }, at);
  if (next.order.length) {
    const asked = say(next, `${told} ${prompt(next)}`);
    // Somebody was quick: cards were laid down while the hand before was still being recorded.
    return state.isMissed ? then(asked, { rearm: "now" }) : asked;
  }
  const [done, effects] = finish(next);
  return [done, [{ say: told }, ...effects]];
}

/**
 * The machine after an event.
 * @param {object} event its `kind` is the name of a handler above, its `at` the time in milliseconds
 * @returns {[object, object[]]} the next state, and what to do: {say}, {read}, {record}, {retract}, {rearm}, {hush},
 *   {close}
 */
export function counting(state, event) {
  return HANDLERS[event.kind](state, event);
}
