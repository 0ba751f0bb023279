// Speaking, where the browser can; everything said is shown as well.

/** Whether this browser can speak at all. */
export const canSpeak = () => "speechSynthesis" in window;

// Kept, since some browsers cut off an utterance that nobody holds.
let utterance = null;

/** To be called within a tap: iPhones stay silent until something was said in one. */
export function prime() {
  if (!canSpeak()) return;
  utterance = new SpeechSynthesisUtterance("");
  utterance.volume = 0;
  speechSynthesis.speak(utterance);
}

/** Say a sentence at once, instead of what is being said. */
export function speak(text) {
  if (!canSpeak()) return;
  hush();
  utterance = new SpeechSynthesisUtterance(text);
  utterance.lang = "en";
  speechSynthesis.speak(utterance);
}

export function hush() {
  if (canSpeak()) speechSynthesis.cancel();
}
