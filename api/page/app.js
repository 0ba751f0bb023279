// The page: one screen at a time, chosen by the address.

import { Busy, Problem, Screen } from "./frame.js";
import { html, render, useEffect } from "./html.js";
import { lazy } from "./lazy.js";
import { Notices, notify } from "./notices.js";
import { keepSending } from "./records.js";
import { addressOf, useRoute } from "./router.js";
import { Home, useTableLink } from "./screens/home.js";
import { me } from "./service.js";
import { useGame } from "./table.js";

const Check = lazy(() => import("./screens/check.js"), "Check");
const Connection = lazy(() => import("./screens/connection.js"), "Connection");
const GameRules = lazy(() => import("./screens/rules.js"), "GameRules");
const HandsFree = lazy(() => import("./screens/handsfree.js"), "HandsFree");
const History = lazy(() => import("./screens/history.js"), "History");
const Members = lazy(() => import("./screens/members.js"), "Members");
const NewGame = lazy(() => import("./screens/newgame.js"), "NewGame");
const Round = lazy(() => import("./screens/round.js"), "Round");
const Score = lazy(() => import("./screens/score.js"), "Score");
const Scores = lazy(() => import("./screens/scores.js"), "Scores");
const System = lazy(() => import("./screens/rules.js"), "System");
const Systems = lazy(() => import("./screens/rules.js"), "Systems");
const YourDeck = lazy(() => import("./screens/deck.js"), "YourDeck");

let ownName = null;

/** Whether an entry came from another phone; what this one entered it has told already. */
const isOthers = (entry) => ownName !== null && entry.by !== ownName && Boolean(entry.text);

/** The screens that show something before the game is there. */
const EARLY = { "": Round, scores: Scores, rules: GameRules, table: Members };

function Game({ id, place, player, query }) {
  const table = useGame(id, (entry) => isOthers(entry) && notify(`${entry.by}: ${entry.text}`));
  const back = addressOf(["game", id, ...(query.get("from") ? [query.get("from")] : [])]);
  const Early = EARLY[place];
  if (Early) return html`<${Early} table=${table} />`;
  if (!table.game) {
    return html`<${Screen} title="One moment" back=${back}>
      ${table.problem ? html`<${Problem} problem=${table.problem} onRetry=${table.reload} />` : html`<${Busy} />`}
    <//>`;
  }
  if (place === "hands-free") return html`<${HandsFree} table=${table} />`;
  if (place === "check") return html`<${Check} table=${table} back=${back} />`;
  const round = Number(query.get("round")) || table.game.round.number;
  const hand = `${player} ${round}`;
  return html`<${Score} key=${hand} table=${table} player=${player} round=${round} photo=${query.get("photo")} back=${back} />`;
}

function screenOf({ parts: [name, first, place = "", last], query }) {
  switch (name) {
    case "new":
      return html`<${NewGame} />`;
    case "score":
      return html`<${Score} />`;
    case "check":
      return html`<${Check} />`;
    case "rules":
      return first ? html`<${System} name=${first} />` : html`<${Systems} />`;
    case "history":
      return html`<${History} />`;
    case "deck":
      return html`<${YourDeck} />`;
    case "connection":
      return html`<${Connection} />`;
    case "game":
      return html`<${Game} key=${first} id=${first} place=${place} player=${last} query=${query} />`;
    default:
      return html`<${Home} />`;
  }
}

function App() {
  const route = useRoute();
  useTableLink(route.hash);
  useEffect(() => {
    window.scrollTo(0, 0);
    document.querySelector("h1")?.focus({ preventScroll: true });
  }, [route.hash]);
  return html`${screenOf(route)}<${Notices} />`;
}

me().then(
  ({ name }) => {
    ownName = name;
  },
  () => {},
);
keepSending();
// Browsers take a service worker only where they trust the certificate; without one the page works as well.
if (window.isSecureContext) navigator.serviceWorker?.register("worker.js").catch(() => {});
render(html`<${App} />`, document.getElementById("app"));
