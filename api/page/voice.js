// Spoken commands, only where the browser hears and the player asks for it: most browsers send the sound to their maker.

const COMMANDS = [
  [/\b(undo|take (it|that) back)\b/, "undo"],
  [/\b(repeat|again|what)\b/, "repeat"],
  [/\b(pause|stop|wait)\b/, "pause"],
  [/\b(go on|continue|resume)\b/, "resume"],
  [/\b(skip|later)\b/, "skip"],
  [/\b(no|wrong)\b/, "no"],
  [/\b(yes|right|correct|okay)\b/, "yes"],
];

/** The event that a spoken text asks for; null for any other talk. */
export function commandOf(text) {
  const found = COMMANDS.find(([words]) => words.test(text.toLowerCase()));
  return found ? found[1] : null;
}

const Recognition = globalThis.SpeechRecognition ?? globalThis.webkitSpeechRecognition;

export const canListen = () => Boolean(Recognition);

/**
 * Listen until the answer is called.
 * @param {(command: string) => void} onCommand
 * @param {() => void} onRefused told where the browser does not allow it
 */
export function listen(onCommand, onRefused) {
  const recognition = new Recognition();
  let isOver = false;
  recognition.lang = "en";
  recognition.onresult = (event) => {
    const command = commandOf(event.results[event.results.length - 1][0].transcript);
    if (command) onCommand(command);
  };
  recognition.onerror = ({ error }) => {
    if (["not-allowed", "service-not-allowed", "network"].includes(error)) {
      isOver = true;
      onRefused();
    }
  };
  // Some browsers hear one phrase at a time.
  recognition.onend = () => isOver || recognition.start();
  recognition.start();
  return () => {
    isOver = true;
    recognition.abort();
  };
}
