// What is said when a round is counted: totals, leader, and what comes next.

import { listed, number } from "./wording.js";

/** @param {object} game as the service tells it */
export function closingInWords(game) {
  const ranked = [...game.players].sort((one, other) => one.total - other.total);
  const totals = ranked.map(({ name, total }) => `${name} ${number(total)}`).join(", ");
  const said = [`Totals after round ${number(game.round.number)}: ${totals}.`];
  if (game.round.question) said.push(game.round.question);
  if (game.finished) {
    said.push(`${listed(game.winners)} ${game.winners.length > 1 ? "share the win" : "wins"}.`);
  } else if (game.next_round) {
    const { number: next, contract, dealer } = game.next_round;
    said.push(`Round ${number(next)}${contract ? `: ${contract.words}` : ""}. ${dealer} deals.`);
  }
  return said.join(" ");
}
