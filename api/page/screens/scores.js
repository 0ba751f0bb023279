// The scores: a grid of rounds and players, running totals, a chart of them, and what can be taken away on paper.

import { Question, Undo, useActs } from "../acts.js";
import { Cell } from "../cell.js";
import { chartOf } from "../chart.js";
import { GameScreen, Problem } from "../frame.js";
import { cellOf } from "../hands.js";
import { html, useState } from "../html.js";
import { CrownIcon, UndoIcon } from "../icons.js";
import { exportAddress, sheetAddress } from "../service.js";
import { count, listed } from "../wording.js";

const CHART = [360, 230];

const signed = (points) => `${points}`.replace("-", "−");

/** Each player's totals after round 0, 1, 2 and so on, as far as the game has come. */
function running(game) {
  const last = game.rounds.findLastIndex((round) => Object.keys(round.cells).length || round.bonuses.length);
  return game.players.map(({ name, starting }) => {
    const totals = [starting];
    for (const round of game.rounds.slice(0, last + 1)) {
      const bonus = round.bonuses.filter((each) => each.player === name).reduce((sum, each) => sum + each.points, 0);
      const points = round.cells[name]?.points ?? 0;
      totals.push(round.cells[name]?.running ?? totals.at(-1) + points + bonus);
    }
    return { name, totals };
  });
}

function Chart({ game }) {
  const players = running(game);
  const { lines, levels, rounds, left, right } = chartOf(players, CHART);
  const [, high] = CHART;
  const told = players.map(({ name, totals }) => `${name}: ${totals.slice(1).join(", ") || "nothing yet"}`).join(". ");
  return html`<figure class="chart">
    <figcaption>Totals over the rounds; lowest wins.</figcaption>
    <svg viewBox=${`0 0 ${CHART.join(" ")}`} role="img" aria-label=${`Totals after each round. ${told}.`}>
      ${levels.map(
        ({ points, y }) =>
          html`<g key=${points}>
            <line class="level" x1=${left} x2=${right} y1=${y} y2=${y} />
            <text class="level-name" x=${left - 6} y=${y}>${signed(points)}</text>
          </g>`,
      )}
      ${rounds.map(({ round, x }) => html`<text key=${round} class="round-name" x=${x} y=${high - 8}>${round}</text>`)}
      ${lines.map(
        ({ name, points, label }, place) =>
          html`<g key=${name} class=${`line-of hue-${place % 8}`}>
            <polyline points=${points.map((point) => point.join()).join(" ")} />
            ${points.map(([x, y], round) => html`<circle key=${round} cx=${x} cy=${y} r="3" />`)}
            <text x=${label[0]} y=${label[1]}>${name.length > 8 ? `${name.slice(0, 7)}…` : name}</text>
          </g>`,
      )}
    </svg>
  </figure>`;
}

function Grid({ game, onCell }) {
  const players = game.players.map((player) => player.name);
  const due = game.rules.contracts && game.round.of ? Math.max(game.round.of, game.rounds.length) : game.rounds.length;
  const rows = Array.from({ length: due }, (_, place) => game.rounds[place] ?? { number: place + 1 });
  return html`<div class="grid-frame" tabindex="0" role="region" aria-label="Scores of every round">
    <table class="grid">
      <thead>
        <tr>
          <th scope="col"><span class="unseen">Round</span></th>
          ${game.players.map(
            ({ name, leads }) =>
              html`<th key=${name} scope="col" class=${leads ? "leads" : ""}>
                ${leads && html`<${CrownIcon} /><span class="unseen">leads: </span>`}${name}
              </th>`,
          )}
        </tr>
      </thead>
      <tbody>
        ${rows.map((round) => {
          const isOn = round.number === game.round.number && !game.finished;
          return html`<tr key=${round.number} class=${isOn ? "on" : ""}>
            <th scope="row" title=${round.contract?.words}>${round.number}</th>
            ${players.map((player) => {
              const cell = round.cells?.[player];
              const bonus = (round.bonuses ?? []).filter((each) => each.player === player);
              if (!cell) {
                const open = round.cells && isOn;
                return html`<td key=${player} class="none">
                  ${bonus.length ? signed(bonus.reduce((sum, each) => sum + each.points, 0)) : open ? "…" : ""}
                </td>`;
              }
              return html`<td key=${player}>
                <button
                  class=${cell.out ? "cell out" : "cell"}
                  aria-label=${`${player}, round ${round.number}: ${count(cell.total, "point")}, in all ${cell.running}`}
                  onClick=${() => onCell({ round: round.number, player })}
                >
                  <b>${cell.out ? "out" : signed(cell.total)}${cell.corrected && html`<sup>✎</sup>`}</b>
                  <span>${signed(cell.running)}</span>
                </button>
              </td>`;
            })}
          </tr>`;
        })}
      </tbody>
      <tfoot>
        <tr>
          <th scope="row">Σ</th>
          ${game.players.map(
            ({ name, total, leads }) => html`<td key=${name} class=${leads ? "leads" : ""}><b>${signed(total)}</b></td>`,
          )}
        </tr>
      </tfoot>
    </table>
  </div>`;
}

function standing(game) {
  if (game.finished) {
    return `${listed(game.winners)} ${game.winners.length > 1 ? "are tied and share the win" : "won"} with ${count(game.totals[game.winners[0]], "point")}.`;
  }
  if (!game.leaders.length) return "Nobody leads yet.";
  const least = count(game.totals[game.leaders[0]], "point");
  return game.leaders.length > 1
    ? `${listed(game.leaders)} are tied in the lead with ${least}.`
    : `${game.leaders[0]} leads with ${least}.`;
}

export function Scores({ table }) {
  const { game } = table;
  const acts = useActs(table);
  const [picked, setPicked] = useState(null);
  const players = game?.players.map((player) => player.name) ?? [];
  return html`<${GameScreen} table=${table} title="Scores" here="scores" className="scores">
    ${
      game &&
      html`
        <p class="lead" role="status">${standing(game)}</p>
        <${Grid} game=${game} onCell=${setPicked} />
        <p class="quiet">Each field shows the round's points, and under them the total. Tap one to see its cards.</p>
        ${game.questions.map((question) => html`<p key=${question} class="hint">${question}</p>`)}
        <${Problem} problem=${acts.problem} />
        <div class="actions"><${Undo} game=${game} acts=${acts} Icon=${UndoIcon} /></div>
        <${Chart} game=${game} />
        <section aria-labelledby="paper-title">
          <h2 id="paper-title">Take it away</h2>
          <p class="links">
            <a href=${exportAddress(game.id, "export.csv")} download>CSV</a>
            <a href=${exportAddress(game.id, "export.json")} download>JSON</a>
            <a href=${exportAddress(game.id, "print")} target="_blank" rel="noopener">Print</a>
            <a href=${sheetAddress(game.rules.name, players)} target="_blank" rel="noopener">Blank score sheet</a>
          </p>
        </section>
        <${Question} question=${acts.question} />
        ${
          picked &&
          cellOf(game, picked.round, picked.player) &&
          html`<${Cell} game=${game} ...${picked} acts=${acts} onClose=${() => setPicked(null)} />`
        }
      `
    }
  <//>`;
}
