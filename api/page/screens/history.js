// Finished games and what they tell about the players.

import { split } from "../cards.js";
import { Busy, Problem, Screen } from "../frame.js";
import { html, useEffect, useState } from "../html.js";
import { addressOf } from "../router.js";
import { history as askHistory } from "../service.js";
import { cardsInWords, count, listed } from "../wording.js";

const day = (at) => new Date(at).toLocaleDateString([], { day: "numeric", month: "long", year: "numeric" });

function Extreme({ name, hand }) {
  if (!hand) return null;
  const cards = split(hand.cards);
  return html`<div>
    <dt>${name}</dt>
    <dd>
      ${count(hand.points, "point")}${cards.length ? html`<span class="quiet">, ${cardsInWords(cards)}</span>` : ""}
    </dd>
  </div>`;
}

export function History() {
  const [seen, setSeen] = useState(null);
  const [problem, setProblem] = useState(null);
  useEffect(() => void askHistory().then(setSeen, setProblem), []);
  return html`<${Screen} title="History">
    <${Problem} problem=${problem} />
    ${!seen && !problem && html`<${Busy} />`}
    ${seen && !seen.games.length && html`<p class="lead">No game is finished yet.</p>`}
    ${
      seen?.games.length > 0 &&
      html`<section aria-labelledby="games-title">
          <h2 id="games-title">Games</h2>
          <ul class="games">
            ${seen.games.map(
              (game) =>
                html`<li key=${game.id}>
                  <a class="game-link" href=${addressOf(["game", game.id, "scores"])}>
                    <strong>${listed(game.winners)} won${game.name ? `, ${game.name}` : ""}</strong>
                    <span>
                      ${day(game.finished)}, ${game.rules}:${" "}
                      ${Object.entries(game.totals)
                        .sort(([, one], [, other]) => one - other)
                        .map(([player, total]) => `${player} ${total}`)
                        .join(", ")}
                    </span>
                  </a>
                </li>`,
            )}
          </ul>
        </section>
        <section aria-labelledby="players-title">
          <h2 id="players-title">Players</h2>
          ${seen.players.map(
            (player) =>
              html`<section key=${player.name} class="statistics" aria-label=${player.name}>
                <h3>${player.name}</h3>
                <dl>
                  <div><dt>Won</dt><dd>${player.won} of ${count(player.games, "game")}</dd></div>
                  <div><dt>Average game</dt><dd>${player.average}</dd></div>
                  <div><dt>Average round</dt><dd>${player.round_average}</dd></div>
                  <${Extreme} name="Best hand" hand=${player.best} />
                  <${Extreme} name="Worst hand" hand=${player.worst} />
                </dl>
              </section>`,
          )}
        </section>`
    }
  <//>`;
}
