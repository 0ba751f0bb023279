// One player's round: its cards, how the number came about, who entered it, and what can be done about it.

import { Face, split } from "./cards.js";
import { Dialog } from "./dialog.js";
import { html, useEffect, useState } from "./html.js";
import { Sum } from "./result.js";
import { addressOf } from "./router.js";
import { entriesOf } from "./service.js";
import { cardsInWords, points as pointsInWords } from "./wording.js";

const time = (at) => new Date(at).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });

/** The entries that made this cell what it is, oldest first. */
function useHistory(game, event) {
  const [entries, setEntries] = useState([]);
  useEffect(() => {
    entriesOf(game.id).then(
      (all) => setEntries(all.entries.filter((entry) => entry.number === event || entry.event.of === event)),
      () => {},
    );
  }, [game.id, game.revision, event]);
  return entries;
}

export function Cell({ game, round, player, acts, onClose }) {
  const entry = game.rounds.find((each) => each.number === round);
  const cell = entry.cells[player];
  const history = useHistory(game, cell.event);
  const bonuses = entry.bonuses.filter((bonus) => bonus.player === player);
  const mayChange = game.role === "host" || (game.role === "player" && round === game.round.number);
  const others = entry.missing;
  const cards = split(cell.cards);
  const done = async (event, sentence) => (await acts.act(event, sentence)) && onClose();

  return html`<${Dialog} title=${`${player}, round ${round}`} onClose=${onClose}>
    ${
      cell.out
        ? html`<p>Went out: no points.</p>`
        : cards.length
          ? html`<p class="faces">
                <span class="unseen">${cardsInWords(cards)}</span>${cards.map(
                  (card, at) => html`<${Face} key=${at} card=${card} />`,
                )}
              </p>
              <${Sum} score=${{ points: cell.points, parts: cell.parts }} />`
          : html`<p>${pointsInWords(cell.points)}, entered as a sum.</p>`
    }
    ${cell.warnings.map((warning) => html`<p key=${warning} class="notice">${warning}</p>`)}
    ${bonuses.map(
      (bonus) =>
        html`<div key=${bonus.event} class="row bonus">
          <p>${pointsInWords(bonus.points)}: ${bonus.reason}</p>
          ${
            mayChange &&
            html`<button
              class="button small"
              onClick=${() => done({ kind: "voided", of: bonus.event }, "The bonus is taken back.")}
            >
              Take back
            </button>`
          }
        </div>`,
    )}
    <p>Total after this round: <strong>${cell.running}</strong></p>
    <ol class="made-by quiet">
      ${history.map(
        (made) => html`<li key=${made.number} class=${made.stands ? "" : "void"}>${time(made.at)}, ${made.by}: ${made.text}</li>`,
      )}
    </ol>
    ${
      mayChange &&
      html`<a class="button go" href=${addressOf(["game", game.id, "score", player], { round, from: "scores" })}>
          Correct the cards
        </a>
        ${
          others.length > 0 &&
          html`<div class="field">
            <label for="moved">It was another player's hand</label>
            <select
              id="moved"
              onChange=${(event) =>
                event.target.value &&
                done(
                  { kind: "hand_moved", of: cell.event, player: event.target.value },
                  `The hand is ${event.target.value}'s now.`,
                )}
            >
              <option value="">Choose whose</option>
              ${others.map((other) => html`<option key=${other}>${other}</option>`)}
            </select>
          </div>`
        }
        <button
          class="button danger"
          onClick=${() => done({ kind: "voided", of: cell.event }, `${player}'s hand of round ${round} is taken back.`)}
        >
          Take this hand back
        </button>`
    }
  <//>`;
}
