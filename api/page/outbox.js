// What is to be recorded, kept on the phone until the service has it: it survives a lost network and a closed page,
// and its key lets the service know it again, so that it counts once however often it is sent.

/** A key that nobody else makes; crypto.randomUUID is missing on plain HTTP. */
export function newKey() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Entries in memory, where the browser has no database. */
export function memoryStore() {
  const entries = new Map();
  return {
    all: async () => [...entries.values()],
    put: async (entry) => void entries.set(entry.key, entry),
    remove: async (key) => void entries.delete(key),
  };
}

const settled = (request) =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });

const KINDS = ["outbox", "photos"];
let database = null;

function openDatabase() {
  const opening = indexedDB.open("meldsight", 1);
  opening.onupgradeneeded = () => KINDS.forEach((kind) => opening.result.createObjectStore(kind, { keyPath: "key" }));
  return settled(opening);
}

/** Entries of a kind in the browser's own database, in the order in which they came. */
export async function browserStore(kind) {
  database ??= openDatabase();
  const opened = await database;
  const entries = (mode) => opened.transaction(kind, mode).objectStore(kind);
  return {
    all: async () => (await settled(entries("readonly").getAll())).sort((one, other) => one.at - other.at),
    put: (entry) => settled(entries("readwrite").put(entry)),
    remove: (key) => settled(entries("readwrite").delete(key)),
  };
}

/** The same; in memory where the browser gives no database, as in some private windows. */
export const anyStore = (kind) => browserStore(kind).catch(memoryStore);

export class Outbox {
  #store;
  #send;
  #told;
  #awaited = new Map();
  #draining = Promise.resolve();

  /**
   * @param {object} store where entries are kept
   * @param {(entry: object) => Promise<any>} send rejects with an error; where its `isPassing` is true, later again
   * @param {(state: {waiting: object[], late: object[]}) => void} told told after every change what still waits, and
   *   what was refused that nobody waited for any more
   */
  constructor(store, send, told = () => {}) {
    this.#store = store;
    this.#send = send;
    this.#told = told;
  }

  /**
   * Keep an entry `{key, at, ...}`, then try to send everything.
   * @returns {Promise<object | null>} what became of it, {answer} or {refusal}; null where it waits
   */
  async add(entry) {
    this.#awaited.set(entry.key, null);
    try {
      await this.#store.put(entry);
      await this.drain();
      return this.#awaited.get(entry.key);
    } finally {
      this.#awaited.delete(entry.key);
    }
  }

  /** Send what waits, oldest first, one at a time; stop at the first that must wait. */
  drain() {
    const drained = this.#draining.then(() => this.#drainOnce());
    // What fails for one caller must not keep the next from trying.
    this.#draining = drained.catch(() => {});
    return drained;
  }

  async #drainOnce() {
    const late = [];
    for (const entry of await this.#store.all()) {
      let outcome;
      try {
        outcome = { answer: await this.#send(entry) };
      } catch (refusal) {
        if (refusal.isPassing) break;
        outcome = { refusal };
      }
      if (this.#awaited.has(entry.key)) this.#awaited.set(entry.key, outcome);
      else if (outcome.refusal) late.push({ entry, refusal: outcome.refusal });
      await this.#store.remove(entry.key);
    }
    this.#told({ waiting: await this.#store.all(), late });
  }
}
