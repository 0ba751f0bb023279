// The deck that this phone plays with, of those that the service has learnt.

const KEY = "deck";

/** Its name, or null. */
export function playedDeck() {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null; // Where the browser keeps nothing, no deck is chosen.
  }
}

/** @param {string | null} name */
export function playWith(name) {
  try {
    if (name === null) localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, name);
  } catch {
    // It is then chosen anew the next time.
  }
}
