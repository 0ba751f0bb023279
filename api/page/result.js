// A hand with its points: over the picture, as cards, and as a sum; what is in doubt is asked.

import { Face, Name, spoken } from "./cards.js";
import { addCard, codes, doubtfulIds, noteDoubt, openDoubts, removeCard, settleCard, undo } from "./hand.js";
import { html, useEffect, useState } from "./html.js";
import { cardInWords, count } from "./wording.js";
import { FileButton } from "./ways.js";
import { BackIcon, CameraIcon, CheckIcon, PlusIcon, UndoIcon } from "./icons.js";
import { Cut, Outlines } from "./outlines.js";
import { score as askScore } from "./service.js";
import { Sheet } from "./sheet.js";

/** The service's score of the hand: {score, problem}; score is null while it is on its way. */
export function useScore(hand, first, place = {}) {
  const key = codes(hand).join(" ");
  const [answer, setAnswer] = useState({ key, score: first, problem: null });
  const [attempt, setAttempt] = useState(0);
  useEffect(() => {
    if (answer.key === key && answer.score) return undefined;
    const control = new AbortController();
    askScore(codes(hand), place, control.signal).then(
      (score) => setAnswer({ key, score, problem: null }),
      (error) => error.name === "AbortError" || setAnswer({ key, score: null, problem: error.message }),
    );
    return () => control.abort();
  }, [key, attempt]);
  const isCurrent = answer.key === key;
  return {
    score: isCurrent ? answer.score : null,
    problem: isCurrent ? answer.problem : null,
    retry: () => setAttempt(attempt + 1),
  };
}

function Question({ doubt, photo, onSettle, onPick, onRemove, onNote }) {
  return html`<li class="question">
    <p>${doubt.text}</p>
    ${doubt.about.map((held) => {
      const options = [held.card, ...(held.card === held.read ? [] : [held.read]), ...held.alternatives].filter(
        (card, place, all) => card && card !== "?" && all.indexOf(card) === place,
      );
      const kind = held.confirmed ? "asked answered" : "asked";
      return html`<div key=${held.id} class=${kind} role="group" aria-label=${spoken(held.card)}>
        <${Cut} ...${photo} held=${held} />
        <div>
          <div class="options">
            ${options.map(
              (card) =>
                html`<button
                  key=${card}
                  class="option"
                  aria-pressed=${held.confirmed && card === held.card}
                  onClick=${() => onSettle(held.id, card)}
                >
                  <span class="unseen">It is the ${spoken(card)}</span
                  ><span aria-hidden="true"><${Name} card=${card} /></span>
                </button>`,
            )}
          </div>
          <div class="options">
            <button class="option quiet" onClick=${() => onPick(held.id)}>Other card</button>
            <button class="option quiet" onClick=${() => onRemove(held.id)}>Not a card</button>
          </div>
        </div>
      </div>`;
    })}
    ${
      !doubt.cards.length &&
      html`<div class="options">
        <button class="option" onClick=${() => onNote(doubt.id)}>I have checked</button>
      </div>`
    }
  </li>`;
}

/** The sum spelt out, each card with its points. */
export function Sum({ score }) {
  if (score.points === null) return html`<p class="sum none">${score.text}</p>`;
  return html`<p class="sum">
    ${score.parts.map(
      ([card, points], place) =>
        html`${place ? " + " : ""}<span class="part"><${Name} card=${card} /> <b>${points}</b></span>`,
    )}${" "}<span class="part">= <b class="total">${score.points}</b></span>
  </p>`;
}

/** One sentence on the state of the hand, for the eye and for the ear. */
function stateOf(hand, score, problem, open) {
  if (problem) return "The sum is not known.";
  if (!hand.cards.length) return "No cards.";
  if (!score) return "Adding up…";
  if (score.points === null) return "Not settled: there is no sum yet.";
  const questions = open.length ? `Not settled: ${count(open.length, "question", "questions")} to answer.` : "";
  return `${count(hand.cards.length, "card", "cards")}, ${count(score.points, "point", "points")}. ${questions}`.trim();
}

/**
 * @param {object} action what confirming does: {label, onConfirm(cards, score), isBusy}; none without a game
 * @param {object} sharing whether the photo is given for training, {isOn, onChange}; none where nobody may ask
 * @param {(file: Blob) => void} onSecond reads a second photo of the same hand; none where there is no first
 */
export function Result({ title = "The hand", place, hand, first, url, problem: failed, action, sharing, onHand, onSecond, onLeave }) {
  // The card whose sheet is open; "new" for the sheet that adds cards.
  const [picked, setPicked] = useState(hand.size || hand.cards.length ? null : "new");
  const [addedFrom, setAddedFrom] = useState(0);
  const { score, problem, retry } = useScore(hand, first, place);
  const open = openDoubts(hand);
  const doubtful = doubtfulIds(open);
  const photo = { url, size: hand.size };
  const held = hand.cards.find((each) => each.id === picked);
  const groups = 1 + hand.cards.filter((each) => each.startsGroup).length;
  const isSettled = score?.points != null && !open.length;
  const parts = new Map(score ? hand.cards.map((each, at) => [each.id, score.parts[at][1]]) : []);
  const warnings = score?.warnings ?? [];

  const choose = (card) => {
    if (!held) return onHand(addCard(hand, card));
    onHand(settleCard(hand, held.id, card));
    setPicked(null);
    return undefined;
  };
  const remove = (id) => {
    onHand(removeCard(hand, id));
    setPicked(null);
  };
  const add = () => {
    setAddedFrom(hand.nextId);
    setPicked("new");
  };

  return html`<main class=${hand.size ? "result" : "result plain"}>
    <header class="over">
      <button class="round" aria-label="Back" onClick=${onLeave}><${BackIcon} /></button>
      <h1 tabindex="-1" class=${action ? "" : "unseen"}>${title}</h1>
    </header>
    ${
      hand.size &&
      html`<div class="look">
        <${Outlines} url=${url} size=${hand.size} cards=${hand.cards} doubtful=${doubtful} onPick=${setPicked} />
      </div>`
    }
    <div class="read">
      ${
        open.length > 0 &&
        html`<section class="questions" aria-labelledby="questions-title">
          <h2 id="questions-title">${open.length === 1 ? "One thing to check" : `${open.length} things to check`}</h2>
          <ul>
            ${open.map(
              (doubt) =>
                html`<${Question}
                  key=${doubt.id}
                  doubt=${doubt}
                  photo=${photo}
                  onSettle=${(id, card) => onHand(settleCard(hand, id, card))}
                  onPick=${setPicked}
                  onRemove=${remove}
                  onNote=${(id) => onHand(noteDoubt(hand, id))}
                />`,
            )}
          </ul>
        </section>`
      }
      <section aria-labelledby="cards-title">
        <h2 id="cards-title">${hand.cards.length ? count(hand.cards.length, "card", "cards") : "No cards"}</h2>
        ${groups > 1 && html`<p class="hint">They lie in ${groups} groups; all of them count.</p>`}
        ${
          hand.shared?.length > 0 &&
          html`<p class="hint">
            Seen on both photos, and counted once: ${hand.shared.map((card) => cardInWords(card)).join(", ")}. Add a
            card if there are two of them.
          </p>`
        }
        ${
          !hand.cards.length &&
          score &&
          html`<p class="hint">${hand.size ? score.text : "Tap in the cards that are left in the hand."}</p>`
        }
        <ol class="cards">
          ${hand.cards.map((each) => {
            const points = parts.get(each.id);
            const isDoubtful = doubtful.has(each.id);
            const told = [
              spoken(each.card),
              points == null ? "no points yet" : count(points, "point", "points"),
              ...(isDoubtful ? ["to check"] : []),
              "change",
            ].join(", ");
            return html`<li key=${each.id} class=${each.startsGroup ? "starts" : undefined}>
              <button class=${isDoubtful ? "held doubtful" : "held"} onClick=${() => setPicked(each.id)}>
                <span class="unseen">${told}</span>
                <${Face} card=${each.card} />
                <span class="points" aria-hidden="true">${points ?? "–"}</span>
              </button>
            </li>`;
          })}
          <li>
            <button class="held add" onClick=${add}>
              <span class="face blank"><${PlusIcon} /></span
              ><span class="points">Add<span class="unseen"> a card</span></span>
            </button>
          </li>
        </ol>
      </section>
      ${warnings.map((warning) => html`<p key=${warning} class="notice">${warning}</p>`)}
      ${failed && html`<p class="notice" role="alert">${failed}</p>`}
      ${
        sharing &&
        html`<label class="sharing">
          <input type="checkbox" checked=${sharing.isOn} onChange=${(event) => sharing.onChange(event.target.checked)} />
          <span>Share this photo and its cards to improve reading. The host of this service keeps them.</span>
        </label>`
      }
      ${
        hand.size &&
        onSecond &&
        html`<${FileButton} className="small second-photo" capture="environment" onFile=${onSecond}>
          <${CameraIcon} />Second photo of this hand
        <//>`
      }
      ${
        hand.cards.length > 0 &&
        html`<section class="arithmetic" aria-labelledby="sum-title">
          <h2 id="sum-title">The sum</h2>
          ${
            problem
              ? html`<div class="notice">
                  <p>${problem}</p>
                  <button class="button small" onClick=${retry}>Try again</button>
                </div>`
              : score
                ? html`<${Sum} score=${score} />`
                : html`<p class="sum none">Adding up…</p>`
          }
        </section>`
      }
    </div>
    <div class="bar">
      <div class=${isSettled ? "outcome settled" : "outcome"}>
        <strong>${score?.points ?? "–"}</strong>
        <span>${!hand.cards.length ? "no cards" : isSettled ? html`<${CheckIcon} />points` : "not settled"}</span>
      </div>
      <button class="button plain" disabled=${!hand.before} onClick=${() => onHand(undo(hand))}>
        <${UndoIcon} />Undo
      </button>
      ${
        action
          ? html`<button
              class="button go"
              disabled=${!isSettled || action.isBusy}
              onClick=${() => action.onConfirm(codes(hand), score)}
            >
              ${action.label}
            </button>`
          : html`<button class="button plain" onClick=${onLeave}>New hand</button>`
      }
    </div>
    <p class="unseen" role="status">${stateOf(hand, score, problem, open)}</p>
    ${
      picked !== null &&
      (held || picked === "new") &&
      html`<${Sheet}
        held=${held ?? null}
        added=${hand.cards.filter((each) => each.id >= addedFrom && each.read === null).map((each) => each.card)}
        photo=${photo}
        onChoose=${choose}
        onRemove=${() => remove(held.id)}
        onClose=${() => setPicked(null)}
      />`
    }
  </main>`;
}
