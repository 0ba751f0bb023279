// One game as this phone sees it: read once, then kept up to date by the service.

import { useCallback, useEffect, useRef, useState } from "./html.js";
import { gameOf, liveAddress } from "./service.js";

const AGAIN_MS = 4000;

/**
 * @param {string} id of the game
 * @param {(entry: object) => void} onEntry told of every entry that any phone makes, while the screen is open
 * @returns {{game: object | null, problem: Error | null, isLive: boolean, reload: () => Promise<object | null>}}
 */
export function useGame(id, onEntry = () => {}) {
  const [state, setState] = useState({ id, game: null, problem: null });
  const [isLive, setLive] = useState(false);
  const heard = useRef(onEntry);
  heard.current = onEntry;

  // Answers may overtake each other; an older one must not undo a newer.
  const show = (game) =>
    setState((before) =>
      before.id === id && before.game?.revision > game.revision ? before : { id, game, problem: null },
    );

  const reload = useCallback(async () => {
    try {
      const game = await gameOf(id);
      show(game);
      return game;
    } catch (problem) {
      setState((before) => ({ id, game: before.id === id ? before.game : null, problem }));
      return null;
    }
  }, [id]);

  useEffect(() => {
    let source = null;
    let again = null;
    const open = () => {
      source = new EventSource(liveAddress(id));
      source.onopen = () => setLive(true);
      source.onerror = () => {
        setLive(false);
        // A browser gives up for good where the service answered, but with an error; reading says which.
        if (source.readyState === EventSource.CLOSED) {
          again = setTimeout(open, AGAIN_MS);
          reload();
        }
      };
      source.addEventListener("board", (event) => show(JSON.parse(event.data)));
      source.addEventListener("members", reload);
      source.addEventListener("ended", reload);
      source.addEventListener("entry", (event) => heard.current(JSON.parse(event.data)));
    };
    const seen = () => document.visibilityState === "visible" && reload();
    reload();
    open();
    document.addEventListener("visibilitychange", seen);
    return () => {
      clearTimeout(again);
      source.close();
      document.removeEventListener("visibilitychange", seen);
    };
  }, [id]);

  const isCurrent = state.id === id;
  return {
    game: isCurrent ? state.game : null,
    problem: isCurrent ? state.problem : null,
    isLive,
    reload,
  };
}
