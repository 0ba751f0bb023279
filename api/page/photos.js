// Photos that the service has not read yet, kept on the phone so that none is lost with the network or the page.

import { anyStore, newKey } from "./outbox.js";
import { scan } from "./service.js";

const AGAIN_MS = 3000;

const opened = anyStore("photos");

export const keptPhotos = async (game) => (await (await opened).all()).filter((photo) => photo.place.game === game);

export const dropPhoto = async (key) => (await opened).remove(key);

const pause = (milliseconds, signal) =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, milliseconds);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      reject(new DOMException("stopped", "AbortError"));
    });
  });

/**
 * Read a photo; while the service is away it is kept and sent again.
 * @param {Blob} blob the picture file
 * @param {object} place where the hand belongs: game, round, player
 * @param {(progress: {sent: number, away: string | null}) => void} onProgress
 * @param {AbortSignal} signal gives the photo up
 */
export async function readPhoto(blob, place, onProgress, signal) {
  const store = await opened;
  const key = newKey();
  // A photo that belongs to no player's hand would be found by nobody later.
  if (place.player) await store.put({ key, at: Date.now(), place, blob });
  let isFinal = true;
  try {
    for (;;) {
      try {
        return await scan(blob, place, (sent) => onProgress({ sent, away: null }), signal);
      } catch (error) {
        if (!error.isPassing) throw error;
        onProgress({ sent: 0, away: error.message });
      }
      await pause(AGAIN_MS, signal);
    }
  } catch (error) {
    // A screen that closes takes its photo along; only one that is stopped on purpose gives it up.
    isFinal = signal.reason !== "left";
    throw error;
  } finally {
    if (isFinal) await store.remove(key);
  }
}
