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

/** Entries in the browser's own database, in the order in which they came. */
export async function browserStore(name = "meldsight") {
  const opening = indexedDB.open(name, 1);
  opening.onupgradeneeded = () => opening.result.createObjectStore("outbox", { keyPath: "key" });
  const database = await settled(opening);
  const entries = (mode) => database.transaction("outbox", mode).objectStore("outbox");
  return {
    all: async () => (await settled(entries("readonly").getAll())).sort((one, other) => one.at - other.at),
    put: (entry) => settled(entries("readwrite").put(entry)),
    remove: (key) => settled(entries("readwrite").delete(key)),
  };
}

export class Outbox {
  #store;
  #send;
  #told;
  #draining = null;

  /**
   * @param {object} store where entries are kept
   * @param {(entry: object) => Promise<any>} send rejects with an error; where its `isPassing` is true, later again
   * @param {(entries: object[]) => void} told told what still waits, after every change
   */
  constructor(store, send, told = () => {}) {
    this.#store = store;
    this.#send = send;
    this.#told = told;
  }

  /** Keep an entry `{key, at, ...}`, then try to send everything. */
  async add(entry) {
    await this.#store.put(entry);
    return this.drain();
  }

  /**
   * Send what waits, oldest first, one at a time; stop at the first that must wait.
   * @returns {Promise<Map<string, object>>} for every entry that was dealt with, by key: {answer} or {refusal}
   */
  drain() {
    const after = (this.#draining ?? Promise.resolve()).then(() => this.#drainOnce());
    // What fails for one caller must not keep the next from trying.
    this.#draining = after.catch(() => {});
    return after;
  }

  async #drainOnce() {
    const dealtWith = new Map();
    for (const entry of await this.#store.all()) {
      try {
        dealtWith.set(entry.key, { answer: await this.#send(entry) });
      } catch (refusal) {
        if (refusal.isPassing) break;
        dealtWith.set(entry.key, { refusal });
      }
      await this.#store.remove(entry.key);
    }
    this.#told(await this.#store.all());
    return dealtWith;
  }
}
