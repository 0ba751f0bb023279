// What surrounds a screen: its head with the way back, and within a game the way to its other screens.

import { html } from "./html.js";
import { BackIcon, BookIcon, CardsIcon, ChartIcon, PeopleIcon } from "./icons.js";
import { useRecords } from "./records.js";
import { addressOf } from "./router.js";
import { count } from "./wording.js";

export function Head({ title, back, children }) {
  return html`<header class="head">
    <a class="round" href=${back} aria-label="Back"><${BackIcon} /></a>
    <h1 tabindex="-1">${title}</h1>
    ${children}
  </header>`;
}

/** A screen outside of a game. */
export const Screen = ({ title, back = "#/", className = "", children }) =>
  html`<main class=${`screen ${className}`}>
    <${Head} title=${title} back=${back} />
    ${children}
  </main>`;

/** What went wrong, with a way to try again where that may help. */
export function Problem({ problem, onRetry }) {
  if (!problem) return null;
  return html`<div class="notice" role="alert">
    <p>${problem.message}</p>
    ${onRetry && problem.isPassing !== false && html`<button class="button small" onClick=${onRetry}>Try again</button>`}
  </div>`;
}

export const Busy = ({ children = "One moment…" }) => html`<p class="busy" role="status">${children}</p>`;

const PLACES = [
  ["", "Round", CardsIcon],
  ["scores", "Scores", ChartIcon],
  ["rules", "Rules", BookIcon],
  ["table", "Table", PeopleIcon],
];

/** A screen of a game. `here` names it among the places above; screens beside them have none. */
export function GameScreen({ table, title, here = null, back = "#/", className = "", children }) {
  const { game, problem, isLive, reload } = table;
  const { waiting } = useRecords();
  const kept = game ? waiting.filter((entry) => entry.game === game.id).length : 0;
  return html`<main class=${`screen game ${here === null ? "" : "with-places"} ${className}`}>
    <${Head} title=${title} back=${back}>
      ${
        game &&
        html`<span class=${isLive ? "link live" : "link"}>
          <span class="unseen">${isLive ? "Up to date" : "Not connected"}</span>
        </span>`
      }
    <//>
    ${
      kept > 0 &&
      html`<p class="notice" role="status">
        ${count(kept, "entry is", "entries are")} kept on this phone, and sent once the service answers.
      </p>`
    }
    <${Problem} problem=${problem} onRetry=${reload} />
    ${game ? children : !problem && html`<${Busy} />`}
    ${
      game &&
      here !== null &&
      html`<nav class="places" aria-label="Screens of this game">
        ${PLACES.map(
          ([place, name, Icon]) =>
            html`<a
              key=${place}
              href=${addressOf(["game", game.id, ...(place ? [place] : [])])}
              aria-current=${place === here ? "page" : undefined}
              ><${Icon} />${name}</a
            >`,
        )}
      </nav>`
    }
  </main>`;
}
