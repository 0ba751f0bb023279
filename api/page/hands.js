// Recording one hand: at first, again where it was another, and where two phones were at it.

import { isConflict } from "./conflict.js";
import { useState } from "./html.js";
import { notify } from "./notices.js";
import { record } from "./records.js";
import { points as pointsInWords } from "./wording.js";

/** The cell of a player's round; undefined where nothing is recorded. */
export const cellOf = (game, round, player) =>
  game.rounds.find((each) => each.number === round)?.cells[player];

function told(player, answer, what) {
  if (answer.waits) return `${player}'s hand is kept on this phone until the service answers.`;
  const sum = "cards" in what && !what.cards ? "out" : pointsInWords(answer.points);
  return [`${player}: ${sum}.`, ...(answer.warnings ?? [])].join(" ");
}

/**
 * What records hands of a game.
 * @returns `enter(player, round, what)` with `what` either {cards} or {points}, resolves to whether it is done;
 *   `conflict` to be shown where another phone was quicker; `problem`; `isBusy`
 */
export function useHands(table) {
  const [conflict, setConflict] = useState(null);
  const [problem, setProblem] = useState(null);
  const [isBusy, setBusy] = useState(false);

  async function send(game, event, player, what) {
    setBusy(true);
    setProblem(null);
    try {
      const answer = await record(game, event);
      notify(told(player, answer, what));
      await table.reload();
      return true;
    } catch (error) {
      if (isConflict(error)) setConflict({ problem: error.problem, player, what });
      else setProblem(error);
      return false;
    } finally {
      setBusy(false);
    }
  }

  const enter = (player, round, what) => {
    const cell = cellOf(table.game, round, player);
    const event = cell ? { kind: "hand_corrected", of: cell.event } : { kind: "hand_scored", round, player };
    return send(table.game, { ...event, ...what }, player, what);
  };
  const useMine = async () => {
    const { problem: said, player, what } = conflict;
    setConflict(null);
    const { event, number } = said.theirs.at(-1);
    const of = event.kind === "hand_corrected" ? event.of : number;
    return send({ ...table.game, revision: said.revision }, { kind: "hand_corrected", of, ...what }, player, what);
  };
  const useTheirs = async () => {
    setConflict(null);
    await table.reload();
  };
  return { enter, isBusy, problem, conflict: conflict && { problem: conflict.problem, useMine, useTheirs } };
}
