// The entries that this phone makes: each is kept until the service has acknowledged it.

import { useEffect, useState } from "./html.js";
import { anyStore, newKey, Outbox } from "./outbox.js";
import { sendEvent } from "./service.js";

const AGAIN_MS = 4000;

const listeners = new Set();
let state = { waiting: [], late: [] };

function tell(change) {
  state = { ...state, ...change };
  for (const listener of listeners) listener(state);
}

const told = ({ waiting, late }) => tell({ waiting, late: [...state.late, ...late] });

const opened = anyStore("outbox").then((store) => new Outbox(store, sendEvent, told));

const entryOf = (game, event) => ({ key: newKey(), at: Date.now(), game: game.id, revision: game.revision, event });

/** Record an event that means something only at this moment, such as undo: it fails where the service is away. */
export const recordNow = (game, event, confirmed = false) => sendEvent({ ...entryOf(game, event), confirmed });

/**
 * Record an event of a game.
 * @returns {Promise<object>} the service's answer; `{waits: true}` where the service is away and the entry is kept
 * @throws {ServiceError} where the service refuses it
 */
export async function record(game, event) {
  const outbox = await opened;
  const outcome = await outbox.add(entryOf(game, event));
  if (outcome?.refusal) throw outcome.refusal;
  return outcome ? outcome.answer : { waits: true };
}

/** What still waits for the service, and what it refused after the player had gone on. */
export function useRecords() {
  const [seen, setSeen] = useState(state);
  useEffect(() => {
    listeners.add(setSeen);
    setSeen(state);
    return () => listeners.delete(setSeen);
  }, []);
  return { ...seen, forgetLate: () => tell({ late: [] }) };
}

/** Keep trying to send what waits. */
export function keepSending() {
  const soon = () => opened.then((outbox) => outbox.drain()).catch(() => {});
  setInterval(() => state.waiting.length && soon(), AGAIN_MS);
  window.addEventListener("online", soon);
  document.addEventListener("visibilitychange", () => document.visibilityState === "visible" && soon());
  soon();
}
