// Talking to the service. Every failure is a ServiceError whose message is a sentence for the player.

export class ServiceError extends Error {
  /** @param {boolean} isPassing whether the same request may succeed later */
  constructor(message, isPassing) {
    super(message);
    this.isPassing = isPassing;
  }
}

const AWAY = "The service does not answer. Is it still running, and is this device in the same network?";
const OUTSIDE = "This device has not joined yet, or not since the service was started anew. Scan the QR code again.";

function failure(status, body) {
  if (status === 401) return new ServiceError(OUTSIDE, false);
  return new ServiceError(
    body?.detail ?? `The service answered with status ${status}.`,
    status === 408 || status >= 500,
  );
}

/**
 * The hand on a photo.
 * @param {Blob} photo the picture file
 * @param {(share: number) => void} onSent told which share of the photo has been sent, 0 to 1
 * @param {AbortSignal} signal stops the scan; the promise is then rejected with an AbortError
 */
export function scan(photo, onSent, signal) {
  // Only XMLHttpRequest tells how much of a body has been sent.
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("POST", "api/scan");
    request.responseType = "json";
    request.upload.onprogress = (event) => event.lengthComputable && onSent(event.loaded / event.total);
    request.upload.onload = () => onSent(1);
    request.onload = () =>
      request.status === 200 && request.response
        ? resolve(request.response)
        : reject(failure(request.status, request.response));
    request.onerror = () => reject(new ServiceError(AWAY, true));
    request.onabort = () => reject(new DOMException("stopped", "AbortError"));
    signal.addEventListener("abort", () => request.abort(), { once: true });
    request.send(photo);
  });
}

/** The score of some cards; the engine behind the service is the only one who adds up. */
export async function score(cards, signal) {
  let answer;
  try {
    answer = await fetch("api/score", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ cards }),
      signal,
    });
  } catch (error) {
    throw error.name === "AbortError" ? error : new ServiceError(AWAY, true);
  }
  const body = await answer.json().catch(() => null);
  if (!answer.ok || !body) throw failure(answer.status, body);
  return body;
}

/** The rule system that the service plays by, as people say it. */
export async function rulesInForce() {
  const answer = await fetch("api/health");
  return answer.ok ? (await answer.json()).rules : null;
}
