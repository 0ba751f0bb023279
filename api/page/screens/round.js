// The round that is on: its contract, its dealer, and whose hand is still missing.

import { Question, Undo, useActs } from "../acts.js";
import { Cell } from "../cell.js";
import { Conflict } from "../conflict.js";
import { Contract } from "../contract.js";
import { Dialog } from "../dialog.js";
import { GameScreen, Problem } from "../frame.js";
import { cellOf, useHands } from "../hands.js";
import { html, useEffect, useState } from "../html.js";
import { CheckIcon, CrownIcon, ScalesIcon, SpeakerIcon, UndoIcon } from "../icons.js";
import { dropPhoto, keptPhotos } from "../photos.js";
import { useRecords } from "../records.js";
import { addressOf } from "../router.js";
import { count, listed } from "../wording.js";

const STATES = { waiting: "waiting", down: "down", out: "out", confirmed: "counted" };

function Player({ game, player, kept, hands, onCell }) {
  const { round } = game;
  const state = kept ? "kept" : (round.states[player] ?? "waiting");
  const cell = cellOf(game, round.number, player);
  const mayEnter = game.role !== "viewer";
  return html`<li class=${`seat ${state}`}>
    <div class="who">
      <strong>${player}${player === round.dealer && html` <span class="mark">deals</span>`}</strong>
      <span class="state">
        ${
          kept
            ? "kept on this phone"
            : state === "confirmed"
              ? html`<${CheckIcon} />${count(cell.points, "point")}`
              : state === "out"
                ? html`<${CrownIcon} />out`
                : STATES[state]
        }
      </span>
    </div>
    ${
      cell
        ? html`<button class="button small" aria-label=${`Look at ${player}'s hand`} onClick=${() => onCell(player)}>Look</button>`
        : mayEnter &&
          !kept &&
          html`<button
              class="button small"
              disabled=${hands.isBusy}
              aria-label=${`${player} went out`}
              onClick=${() => hands.enter(player, round.number, { cards: "" })}
            >
              Out
            </button>
            <a
              class="button small go"
              aria-label=${`Score ${player}'s hand`}
              href=${addressOf(["game", game.id, "score", player], { round: round.number })}
              >Score</a
            >`
    }
  </li>`;
}

function Cut({ game, acts }) {
  const [isOpen, setOpen] = useState(false);
  const { cut, cut_bonus: bonus, number } = game.round;
  if (cut === null || cut === undefined || game.role === "viewer") return null;
  const give = async (player) => {
    setOpen(false);
    await acts.act(
      { kind: "bonus_given", round: number, player, points: bonus, reason: "exact cut" },
      `${player} cut exactly: ${bonus} points.`,
    );
  };
  return html`<button class="button" onClick=${() => setOpen(true)}>Cut exactly ${cut}: ${`${bonus}`.replace("-", "−")}</button>
    ${
      isOpen &&
      html`<${Dialog} title="Who cut exactly?" onClose=${() => setOpen(false)}>
        <div class="others">
          ${Object.keys(game.round.states).map(
            (player) => html`<button key=${player} class="button" onClick=${() => give(player)}>${player}</button>`,
          )}
        </div>
      <//>`
    }`;
}

/** Photos of this game that the service has not read yet. */
function KeptPhotos({ game }) {
  const [photos, setPhotos] = useState([]);
  useEffect(() => {
    keptPhotos(game.id).then(setPhotos, () => {});
  }, [game.id]);
  return photos.map(
    ({ key, place }) =>
      html`<div key=${key} class="notice">
        <p>A photo of ${place.player}'s hand, round ${place.round}, was not read yet.</p>
        <div class="row">
          <a
            class="button small go"
            href=${addressOf(["game", game.id, "score", place.player], { round: place.round, photo: key })}
            >Read it</a
          >
          <button
            class="button small"
            onClick=${() => dropPhoto(key).then(() => setPhotos(photos.filter((photo) => photo.key !== key)))}
          >
            Drop it
          </button>
        </div>
      </div>`,
  );
}

function Finished({ game }) {
  return html`<section class="finished" aria-labelledby="finished-title">
    <${CrownIcon} />
    <h2 id="finished-title">${listed(game.winners)} ${game.winners.length > 1 ? "share the win" : "won"}</h2>
    <p>with ${count(game.totals[game.winners[0]], "point")}</p>
    <a class="button" href=${addressOf(["game", game.id, "scores"])}>Look at the scores</a>
  </section>`;
}

export function Round({ table }) {
  const { game } = table;
  const hands = useHands(table);
  const acts = useActs(table);
  const { waiting, late, forgetLate } = useRecords();
  const [cell, setCell] = useState(null);
  const round = game?.round;
  const title = !game
    ? "The round"
    : game.finished
      ? game.name || "The game"
      : `Round ${round.number}${round.of && round.number <= round.of ? ` of ${round.of}` : ""}`;
  const keptFor = (player) =>
    waiting.some(
      ({ game: id, event }) =>
        id === game.id && event.kind === "hand_scored" && event.round === round.number && event.player === player,
    );
  const missing = round?.missing ?? [];
  const begin = () =>
    acts.act({ kind: "round_started", round: game.next_round.number }, `Round ${game.next_round.number} has begun.`);

  return html`<${GameScreen} table=${table} title=${title} here="" className="round-screen">
    ${
      game &&
      html`
        <${Problem} problem=${hands.problem ?? acts.problem} />
        ${late.map(
          ({ entry, refusal }) =>
            html`<div key=${entry.key} class="notice" role="alert">
              <p>${entry.event.player ? `${entry.event.player}, round ${entry.event.round}: ` : ""}${refusal.message}</p>
              <button class="button small" onClick=${forgetLate}>Understood</button>
            </div>`,
        )}
        <${KeptPhotos} game=${game} />
        ${game.finished && html`<${Finished} game=${game} />`}
        ${
          !game.finished &&
          html`<${Contract} contract=${round.contract} />
            <p class="quiet">${round.dealer} deals ${count(round.deal, "card")} each. ${game.rules.title}.</p>`
        }
        ${
          game.tied.length > 0 &&
          html`<p class="notice">${listed(game.tied)} are tied: they play the last contract once more.</p>`
        }
        <section aria-labelledby="seats-title">
          <h2 id="seats-title">
            ${missing.length ? `Missing: ${listed(missing)}` : game.finished ? "The last round" : "Every hand is in"}
          </h2>
          <ul class="seats">
            ${Object.keys(round.states).map(
              (player) =>
                html`<${Player}
                  key=${player}
                  game=${game}
                  player=${player}
                  kept=${keptFor(player)}
                  hands=${hands}
                  onCell=${setCell}
                />`,
            )}
          </ul>
        </section>
        ${round.question && html`<p class="notice">${round.question}</p>`}
        <div class="actions">
          ${
            game.next_round &&
            game.role !== "viewer" &&
            missing.length === 0 &&
            html`<button
              class="button primary next"
              disabled=${acts.isBusy}
              onClick=${begin}
            >
              Start round ${game.next_round.number}
            </button>`
          }
          ${
            missing.length > 0 &&
            game.role !== "viewer" &&
            html`<a class="button tile" href=${addressOf(["game", game.id, "hands-free"])}>
              <${SpeakerIcon} />Hands-free
            </a>`
          }
          <a class="button tile" href=${addressOf(["game", game.id, "check"])}><${ScalesIcon} />Check ${game.rules.contracts ? "a contract" : "the table"}</a>
          <${Cut} game=${game} acts=${acts} />
          <${Undo} game=${game} acts=${acts} Icon=${UndoIcon} />
          ${
            game.next_round &&
            game.role !== "viewer" &&
            missing.length > 0 &&
            missing.length < Object.keys(round.states).length &&
            html`<button class="button next" disabled=${acts.isBusy} onClick=${begin}>
              Start round ${game.next_round.number} without ${listed(missing)}
            </button>`
          }
        </div>
        <${Question} question=${acts.question} />
        ${
          hands.conflict &&
          html`<${Conflict}
            problem=${hands.conflict.problem}
            onMine=${hands.conflict.useMine}
            onTheirs=${hands.conflict.useTheirs}
          />`
        }
        ${
          cell &&
          cellOf(game, round.number, cell) &&
          html`<${Cell} game=${game} round=${round.number} player=${cell} acts=${acts} onClose=${() => setCell(null)} />`
        }
      `
    }
  <//>`;
}
