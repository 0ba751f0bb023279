// What people do to a game besides entering hands: undo, the next round, bonuses, players, corrections of the record.

import { Dialog } from "./dialog.js";
import { html, useState } from "./html.js";
import { notify } from "./notices.js";
import { recordNow } from "./records.js";

const QUESTION = "urn:meldsight:question";

/**
 * What sends events at once.
 * @returns `act(event, sentence)` resolves to whether it is done, and then shows the sentence; `question` where the
 *   service asks first, with `yes` and `no`; `problem`; `isBusy`
 */
export function useActs(table) {
  const [problem, setProblem] = useState(null);
  const [asked, setAsked] = useState(null);
  const [isBusy, setBusy] = useState(false);

  async function act(event, sentence, confirmed = false) {
    setBusy(true);
    setProblem(null);
    try {
      const answer = await recordNow(table.game, event, confirmed);
      if (sentence) notify(sentence);
      await table.reload();
      return answer;
    } catch (error) {
      if (error.problem?.type === QUESTION) setAsked({ event, sentence, text: error.message });
      else setProblem(error);
      await table.reload();
      return null;
    } finally {
      setBusy(false);
    }
  }
  const question = asked && {
    text: asked.text,
    yes: () => {
      setAsked(null);
      return act(asked.event, asked.sentence, true);
    },
    no: () => setAsked(null),
  };
  return { act, question, problem, isBusy };
}

/** The service asks before it goes on. */
export function Question({ question }) {
  if (!question) return null;
  return html`<${Dialog} title="Is that right?" onClose=${question.no}>
    <p>${question.text}</p>
    <div class="others">
      <button class="button" onClick=${question.no}>No, look again</button>
      <button class="button go" onClick=${question.yes}>Yes, go on</button>
    </div>
  <//>`;
}

/** One tap takes back what was entered last. */
export function Undo({ game, acts, Icon }) {
  if (!game.undo || game.role === "viewer") return null;
  return html`<button
    class="button undo"
    disabled=${acts.isBusy}
    onClick=${() => acts.act({ kind: "undo" }, `Taken back: ${game.undo.text}.`)}
  >
    <${Icon} /><span>Undo <span class="quiet">${game.undo.text}</span></span>
  </button>`;
}
