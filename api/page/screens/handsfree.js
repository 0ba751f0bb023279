// Counting a round hands-free: the phone on a stand asks, waits, reads, says what it saw, and goes on.

import { hasLiveCamera } from "../camera.js";
import { Face, spoken } from "../cards.js";
import { closingInWords } from "../closing.js";
import { counting, startCounting, wanted } from "../counting.js";
import { Head } from "../frame.js";
import { cellOf } from "../hands.js";
import { doubtfulIds, handOf, openDoubts } from "../hand.js";
import { html, useEffect, useMemo, useRef, useState } from "../html.js";
import { PauseIcon, PlayIcon, SpeakerIcon, UndoIcon } from "../icons.js";
import { record, recordNow } from "../records.js";
import { addressOf } from "../router.js";
import { scanFrames, score } from "../service.js";
import { Sheet } from "../sheet.js";
import { canSpeak, hush, prime, speak } from "../speaker.js";
import { Viewfinder } from "../viewfinder.js";
import { canListen, listen } from "../voice.js";
import { listed } from "../wording.js";

const TICK_MS = 500;
const AGAIN_MS = 3000;

const PHASES = {
  waiting: "Waiting for the cards",
  reading: "Reading",
  doubt: "Something to put right",
  spoken: "Take the cards away to confirm",
  asking: "Out?",
  recording: "Recording",
  paused: "Paused",
  done: "Every hand is in",
};

/** Keeps the screen on while it is asked for, where the browser can. */
function useWakeLock() {
  useEffect(() => {
    let lock = null;
    let isGone = false;
    const hold = async () => {
      if (document.visibilityState !== "visible") return;
      try {
        lock = await navigator.wakeLock?.request("screen");
        if (isGone) lock?.release();
      } catch {
        // Low on battery, or not allowed: the round goes on after the screen is unlocked.
      }
    };
    hold();
    document.addEventListener("visibilitychange", hold);
    return () => {
      isGone = true;
      document.removeEventListener("visibilitychange", hold);
      lock?.release();
    };
  }, []);
}

function Counting({ table, onRefused }) {
  const { game } = table;
  const round = game.round.number;
  const [state, setState] = useState(null);
  const [caption, setCaption] = useState("");
  const [seen, setSeen] = useState(null);
  const [picked, setPicked] = useState(null);
  const [isListening, setListening] = useState(false);
  const machine = useRef(null);
  const camera = useRef(null);
  const running = useRef(null);
  const retracting = useRef(new Set());
  const latest = useRef(table);
  latest.current = table;
  useWakeLock();

  const place = () => ({ game: game.id, round, player: wanted(machine.current) });
  const perform = (effects) => {
    for (const effect of effects) {
      if (effect.say) {
        setCaption(effect.say);
        speak(effect.say);
      }
      if (effect.hush) hush();
      if (effect.record) enter(effect.record);
      if (effect.retract) retract(effect.retract);
      if (effect.close) close();
      if (effect.rearm === "now") camera.current?.rearm();
      if (effect.rearm === "later") setTimeout(() => camera.current?.rearm(), AGAIN_MS);
    }
  };
  const dispatch = (kind, detail = {}) => {
    const [next, effects] = counting(machine.current, { kind, at: performance.now(), ...detail });
    machine.current = next;
    setState(next);
    perform(effects);
    return effects;
  };

  async function enter({ player, cards }) {
    const scanned = machine.current.hand?.scanned?.join(" ");
    const event = { kind: "hand_scored", round, player, cards: cards.join(" "), scanned };
    try {
      await record(latest.current.game, event);
      dispatch("recorded");
    } catch (error) {
      dispatch("refused", { sentence: error.message });
    }
    latest.current.reload();
  }
  async function retract({ player }) {
    // Until it is gone, the old entry must not be taken for one that another phone has made.
    retracting.current.add(player);
    try {
      // The entry may have come from the outbox, so its number is looked up.
      const now = await latest.current.reload();
      const cell = now && cellOf(now, round, player);
      if (cell) await recordNow(now, { kind: "voided", of: cell.event });
    } catch (error) {
      setCaption(error.message);
      speak(error.message);
    }
    await latest.current.reload();
    retracting.current.delete(player);
  }
  async function close() {
    const now = await latest.current.reload();
    if (!now) return;
    const text = closingInWords(now);
    setCaption((before) => `${before} ${text}`);
    // What was said last is heard to its end.
    const wait = setInterval(() => {
      if (canSpeak() && speechSynthesis.speaking) return;
      clearInterval(wait);
      speak(text);
    }, TICK_MS);
  }

  const still = async (frames) => {
    const [effect] = dispatch("still");
    if (!effect?.read) return;
    running.current?.abort();
    const control = new AbortController();
    running.current = control;
    try {
      const { scene, score: counted, settled, warnings } = await scanFrames(frames, place(), control.signal);
      const hand = {
        cards: scene.cards.map((card) => card.card),
        points: counted.points,
        text: counted.text,
        doubts: scene.doubts,
        settled,
        warnings: warnings ?? [],
        scanned: scene.cards.map((card) => card.card),
      };
      setSeen(handOf(scene));
      dispatch("read", { hand });
    } catch (error) {
      if (error.name !== "AbortError") dispatch("unread", { sentence: error.message });
    }
  };
  /** The hand after a tap: what a person says is certain. */
  const put = async (cards) => {
    setPicked(null);
    const { scanned } = hand;
    try {
      const counted = await score(cards, place());
      const settled = counted.points !== null;
      const corrected = { cards, points: counted.points, text: counted.text, doubts: [], settled, warnings: [], scanned };
      dispatch("corrected", { hand: corrected });
    } catch (error) {
      setCaption(error.message);
    }
  };

  useEffect(() => {
    const out = Object.entries(game.round.states).find(([, each]) => each === "out");
    const [first, effects] = startCounting(game.round.missing, out?.[0] ?? null, performance.now());
    machine.current = first;
    setState(first);
    perform(effects);
    const timer = setInterval(() => dispatch("tick"), TICK_MS);
    const turned = () => dispatch(document.visibilityState === "hidden" ? "pause" : "resume");
    document.addEventListener("visibilitychange", turned);
    return () => {
      clearInterval(timer);
      document.removeEventListener("visibilitychange", turned);
      running.current?.abort();
      hush();
    };
  }, []);
  useEffect(() => {
    if (!state) return;
    for (const player of state.order) {
      const cell = cellOf(game, round, player);
      if (cell && !retracting.current.has(player)) dispatch("entered", { player, isOut: cell.out });
    }
  }, [game.revision]);
  useEffect(() => {
    if (!isListening) return undefined;
    return listen(
      (command) => dispatch(command),
      () => {
        setListening(false);
        setCaption("This browser does not hear here; the buttons do the same.");
      },
    );
  }, [isListening]);

  const hand = state?.hand ?? null;
  const shown = hand && ["spoken", "doubt"].includes(state.phase) ? seen : null;
  const doubtful = useMemo(() => (shown ? doubtfulIds(openDoubts(shown)) : undefined), [shown]);
  if (!state) return null;
  const isDone = state.phase === "done";
  const asks = state.phase === "asking" || state.phase === "spoken";

  return html`<main class="hands-free">
    <${Head} title=${isDone ? `Round ${round} is counted` : (wanted(state) ?? "Hands-free")} back=${addressOf(["game", game.id])} />
    <div class="stage">
      ${
        !isDone &&
        html`<${Viewfinder}
          hand=${shown}
          doubtful=${doubtful}
          onStill=${still}
          onCamera=${(opened) => {
            camera.current = opened;
          }}
          onRefused=${onRefused}
        />`
      }
    </div>
    <div class="talk">
      <p class="phase">
        ${PHASES[state.phase]}${hand && state.phase === "spoken" ? html`: <strong>${hand.points}</strong>` : ""}
      </p>
      ${
        hand &&
        html`<ol class="strip">
          ${hand.cards.map(
            (card, at) =>
              html`<li key=${`${at} ${card}`}>
                <button class="held" aria-label=${`${spoken(card)}, change`} onClick=${() => setPicked(at)}>
                  <${Face} card=${card} />
                </button>
              </li>`,
          )}
        </ol>`
      }
      <p class="said" role="status">${caption}</p>
      <p class="quiet">
        ${state.counted.map(({ player, cards, points }) => `${player} ${cards.length ? points : "out"}`).join(" · ")}
        ${state.order.length > 1 ? ` then ${listed(state.order.slice(1))}` : ""}
      </p>
      <div class="big-buttons">
        ${
          isDone
            ? html`<a class="button go" href=${addressOf(["game", game.id])}>To the next round</a>`
            : html`<button class="button" disabled=${!asks} onClick=${() => dispatch("no")}>No</button>
                <button class="button go" disabled=${!asks} onClick=${() => dispatch("yes")}>Yes</button>`
        }
        <button class="button undo-big" onClick=${() => dispatch("undo")}><${UndoIcon} />Undo</button>
        ${
          state.phase === "paused"
            ? html`<button class="button" onClick=${() => dispatch("resume")}><${PlayIcon} />Go on</button>`
            : html`<button class="button" disabled=${isDone} onClick=${() => dispatch("pause")}><${PauseIcon} />Pause</button>`
        }
        <button class="button" onClick=${() => dispatch("repeat")}><${SpeakerIcon} />Repeat</button>
        <button class="button" disabled=${isDone || state.order.length < 2} onClick=${() => dispatch("skip")}>Later</button>
        ${
          canListen() &&
          !isDone &&
          html`<button class="button" aria-pressed=${isListening} onClick=${() => setListening(!isListening)}>
            Listen to me
          </button>`
        }
      </div>
      ${isListening && html`<p class="quiet">While it listens, the browser may send the sound to its maker.</p>`}
    </div>
    ${
      picked !== null &&
      hand &&
      html`<${Sheet}
        held=${{ card: hand.cards[picked], box: null }}
        added=${[]}
        photo=${{ url: null, size: null }}
        onChoose=${(card) => put(hand.cards.map((other, at) => (at === picked ? card : other)))}
        onRemove=${() => put(hand.cards.filter((_, at) => at !== picked))}
        onClose=${() => setPicked(null)}
      />`
    }
  </main>`;
}

export function HandsFree({ table }) {
  const { game } = table;
  const [isOn, setOn] = useState(false);
  const [problem, setProblem] = useState(null);
  const back = addressOf(["game", game.id]);
  const start = () => {
    prime();
    setProblem(null);
    setOn(true);
  };
  if (isOn) {
    return html`<${Counting}
      table=${table}
      onRefused=${(sentence) => {
        setProblem(sentence);
        setOn(false);
      }}
    />`;
  }
  return html`<main class="screen">
    <${Head} title="Count hands-free" back=${back} />
    <p class="lead">
      Put the phone on a stand, looking straight down at a free place on the table. It asks for one hand after the
      other: ${listed(game.round.missing)}.
    </p>
    <ol class="steps">
      <li>Lay the hand down, fanned, so that every corner shows.</li>
      <li>Listen: it says the cards and the points.</li>
      <li>Take the cards away if that is right. That records the hand.</li>
      <li>Nothing to lay down? Leave the place empty; it asks whether you went out.</li>
    </ol>
    ${problem && html`<p class="notice" role="alert">${problem}</p>`}
    ${!canSpeak() && html`<p class="hint">This browser cannot speak; everything is shown in large letters.</p>`}
    ${
      hasLiveCamera()
        ? html`<button class="button primary" disabled=${!game.round.missing.length} onClick=${start}>
            <${SpeakerIcon} />Start
          </button>`
        : html`<p class="notice">
            Hands-free needs the live camera, and browsers give it to pages over HTTPS only.${" "}
            <a href="#/connection">How to get there</a>
          </p>`
    }
  </main>`;
}
