// Talking to the service. Every failure is a ServiceError whose message is a sentence for the player.

import { playedDeck, playWith } from "./decks.js";
import { joinFrames } from "./looks.js";

export class ServiceError extends Error {
  /**
   * @param {string} message one sentence
   * @param {number} status of the answer; 0 where there was none
   * @param {object | null} problem what the service said
   */
  constructor(message, status, problem = null) {
    super(message);
    this.status = status;
    this.problem = problem;
  }

  /** Whether the same request may succeed later. */
  get isPassing() {
    return this.status === 0 || [408, 429, 502, 503, 504].includes(this.status);
  }
}

const AWAY = "The service does not answer. Is it still running, and is this device in the same network?";
const OUTSIDE = "This device has not joined yet, or was removed. Scan the QR code again.";

function failure(status, body) {
  if (status === 401) return new ServiceError(OUTSIDE, status, body);
  return new ServiceError(body?.detail ?? `The service answered with status ${status}.`, status, body);
}

const queryOf = (query) => {
  const given = Object.entries(query).filter(([, value]) => value !== null && value !== undefined);
  return given.length ? `?${new URLSearchParams(given)}` : "";
};

/**
 * One question to the service; answers what it says, null where it says nothing.
 * @param {object} [how] body, headers, query, signal
 */
export async function ask(method, path, { body, headers = {}, query = {}, signal } = {}) {
  let answer;
  try {
    answer = await fetch(`api/${path}${queryOf(query)}`, {
      method,
      headers: body === undefined ? headers : { "Content-Type": "application/json", ...headers },
      body: body === undefined ? undefined : JSON.stringify(body),
      signal,
    });
  } catch (error) {
    throw error.name === "AbortError" ? error : new ServiceError(AWAY, 0);
  }
  if (answer.status === 204 || answer.status === 304) return null;
  const said = await answer.json().catch(() => null);
  if (!answer.ok || said === null) throw failure(answer.status, said);
  return said;
}

const gamePath = (id, ...rest) => ["games", id, ...rest].map(encodeURIComponent).join("/");

export const me = () => ask("GET", "me");
export const join = (invitation) => ask("POST", "join", { body: invitation });
export const systems = () => ask("GET", "rules");
export const rulesOf = (name, game = null) => ask("GET", `rules/${encodeURIComponent(name)}`, { query: { game } });
export const games = () => ask("GET", "games");
export const history = () => ask("GET", "history");
export const gameOf = (id) => ask("GET", gamePath(id));
export const entriesOf = (id) => ask("GET", gamePath(id, "events"));
export const dropGame = (id) => ask("DELETE", gamePath(id));
export const invite = (id, role) => ask("POST", gamePath(id, "invite"), { body: { role } });
export const members = (id) => ask("GET", gamePath(id, "members"));
export const setRole = (id, device, role) => ask("PATCH", gamePath(id, "members", device), { body: { role } });
export const removeMember = (id, device) => ask("DELETE", gamePath(id, "members", device));
export const layMelds = (id, round, player, melds) =>
  ask("PUT", gamePath(id, "rounds", round, "melds", player), { body: { melds } });
export const check = (question, signal) => ask("POST", "check", { body: question, signal });
export const newGame = (game, key) => ask("POST", "games", { body: game, headers: { "Idempotency-Key": key } });
export const liveAddress = (id) => `api/${gamePath(id, "live")}`;
export const exportAddress = (id, name) => `api/${gamePath(id, name)}`;
export const sheetAddress = (name, players) =>
  `api/rules/${encodeURIComponent(name)}/sheet${queryOf({ players: players.join(",") || null })}`;

/** One entry of the ledger. @param {object} entry key, game, revision, event, confirmed */
export const sendEvent = ({ key, game, revision, event, confirmed }) =>
  ask("POST", gamePath(game, "events"), {
    body: event,
    headers: { "Idempotency-Key": key, "If-Match": `"${revision}"` },
    query: { confirmed: confirmed || null },
  });

/**
 * The score of some cards; the engine behind the service is the only one who adds up.
 * @param {{game?: string, round?: number, player?: string}} place where the hand belongs, if to a game
 */
export const score = (cards, place, signal) => ask("POST", "score", { body: { cards, ...place }, signal });

/**
 * The hand on a photo.
 * @param {Blob} photo the picture file
 * @param {object} place as for `score`
 * @param {(share: number) => void} onSent told which share of the photo has been sent, 0 to 1
 * @param {AbortSignal} signal stops the scan; the promise is then rejected with an AbortError
 */
export const scan = (photo, place, onSent, signal) => withDeck("api/scan", photo, place, onSent, signal);

/**
 * Give a photo for training, with its corrected cards.
 * @param {Blob} photo the picture file, as it was read
 * @param {{read: string, cards: string, added: string}} correction see `correctionOf`
 */
export async function giveCorrection(photo, correction, place) {
  let answer;
  try {
    answer = await fetch(`api/corrections${queryOf({ ...correction, ...place })}`, { method: "POST", body: photo });
  } catch {
    throw new ServiceError(AWAY, 0);
  }
  if (!answer.ok) throw failure(answer.status, await answer.json().catch(() => null));
}

/**
 * The hand on frames of one still scene, read together.
 * @param {Blob[]} frames pictures, one at least
 */
export function scanFrames(frames, place, signal) {
  if (frames.length === 1) return scan(frames[0], place, () => {}, signal);
  return withDeck("api/scan/frames", joinFrames(frames), place, () => {}, signal);
}

/** A scan with the deck that is played with; where the service has forgotten it, without one from then on. */
async function withDeck(path, body, place, onSent, signal) {
  const deck = playedDeck();
  if (deck === null) return send(path, body, place, onSent, signal);
  try {
    return await send(path, body, { ...place, deck }, onSent, signal);
  } catch (error) {
    if (error.status !== 404 || (await decks()).some((each) => each.name === deck)) throw error;
    playWith(null);
    return send(path, body, place, onSent, signal);
  }
}

export const decks = () => ask("GET", "decks");
export const forgetDeck = (name) => ask("DELETE", `decks/${encodeURIComponent(name)}`);

/** Every place of a photo that may show a card of a deck. */
export const surveyDeck = (photo) => send("api/decks/survey", photo, {}, () => {}, new AbortController().signal);

/** @param {string} cards what the places of the survey are, in its order; "-" is no card */
export const addDeckPhoto = (photo, name, cards) =>
  send("api/decks/photos", photo, { name, cards }, () => {}, new AbortController().signal);

function send(path, body, place, onSent, signal) {
  // Only XMLHttpRequest tells how much of a body has been sent.
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("POST", `${path}${queryOf(place)}`);
    request.responseType = "json";
    request.upload.onprogress = (event) => event.lengthComputable && onSent(event.loaded / event.total);
    request.upload.onload = () => onSent(1);
    request.onload = () =>
      request.status === 200 && request.response
        ? resolve(request.response)
        : reject(failure(request.status, request.response));
    request.onerror = () => reject(new ServiceError(AWAY, 0));
    request.onabort = () => reject(new DOMException("stopped", "AbortError"));
    signal.addEventListener("abort", () => request.abort(), { once: true });
    request.send(body);
  });
}
