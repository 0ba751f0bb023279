// Two phones entered one hand: both are shown, and somebody chooses.

import { Face, split } from "./cards.js";
import { Dialog } from "./dialog.js";
import { html } from "./html.js";
import { points as pointsInWords } from "./wording.js";

const CONFLICT = "urn:meldsight:conflict";

/** Whether an error says that another phone was quicker with the same hand. */
export const isConflict = (error) => error.problem?.type === CONFLICT && error.problem.theirs?.length > 0;

function Entry({ title, event }) {
  const cards = event.cards === undefined || event.cards === null ? null : split(event.cards);
  return html`<section class="entry" aria-label=${title}>
    <h3>${title}</h3>
    ${
      cards === null
        ? html`<p>${pointsInWords(event.points)}</p>`
        : cards.length
          ? html`<p class="faces">
              <span class="unseen">${event.cards}</span>${cards.map((card, at) => html`<${Face} key=${at} card=${card} />`)}
            </p>`
          : html`<p>Went out</p>`
    }
  </section>`;
}

/**
 * @param {object} problem what the service said
 * @param {() => void} onMine writes this phone's entry over the other one
 */
export function Conflict({ problem, onMine, onTheirs }) {
  const theirs = problem.theirs.at(-1);
  return html`<${Dialog} title="Two phones, one hand" onClose=${onTheirs}>
    <p>${problem.detail}</p>
    <${Entry} title=${`From ${theirs.by}`} event=${theirs.event} />
    <${Entry} title="From this phone" event=${problem.yours} />
    <div class="others">
      <button class="button" onClick=${onTheirs}>Keep theirs</button>
      <button class="button" onClick=${onMine}>Use mine</button>
    </div>
  <//>`;
}
