// The first screen: go on with a game, begin one, or use the camera without one.

import { hasLiveCamera } from "../camera.js";
import { Face, Name } from "../cards.js";
import { html, useEffect, useState } from "../html.js";
import { BookIcon, CameraIcon, CardsIcon, ClockIcon, LockIcon, ScalesIcon } from "../icons.js";
import { notify } from "../notices.js";
import { addressOf, go } from "../router.js";
import { games as askGames, join, me as askMe } from "../service.js";
import { listed } from "../wording.js";

const SHOWN = ["9C", "KD", "3S"];

const standing = (game) => {
  if (game.finished) return `Finished; ${listed(game.winners)} won`;
  const leads = game.leaders.length ? `; ${listed(game.leaders)} ${game.leaders.length > 1 ? "lead" : "leads"}` : "";
  return `Round ${game.round}${game.rounds ? ` of ${game.rounds}` : ""}${leads}`;
};

function Join() {
  const [code, setCode] = useState("");
  const [problem, setProblem] = useState(null);
  const send = (event) => {
    event.preventDefault();
    join({ code }).then(
      ({ game }) => go(["game", game]),
      (error) => setProblem(error.message),
    );
  };
  return html`<form class="joining" onSubmit=${send}>
    <label for="code">Join another table by its code</label>
    <div class="row">
      <input
        id="code"
        class="code"
        value=${code}
        maxlength="9"
        autocomplete="off"
        autocapitalize="characters"
        spellcheck="false"
        placeholder="K7M2QX"
        onInput=${(event) => setCode(event.target.value)}
      />
      <button class="button" disabled=${code.trim().length < 6}>Join</button>
    </div>
    ${problem && html`<p class="notice" role="alert">${problem}</p>`}
  </form>`;
}

/** A device that has joined already opens the link of a table with the page itself. */
export function useTableLink(hash) {
  useEffect(() => {
    const [, table] = /^#table=(.+)$/.exec(hash) ?? [];
    if (!table) return;
    join({ table }).then(
      ({ game }) => location.replace(addressOf(["game", game])),
      (error) => {
        notify(error.message);
        location.replace("#/");
      },
    );
  }, [hash]);
}

export function Home() {
  const [games, setGames] = useState(null);
  const [me, setMe] = useState(null);
  const [problem, setProblem] = useState(null);
  useEffect(() => {
    askGames().then(setGames, (error) => setProblem(error.message));
    askMe().then(setMe, () => {});
  }, []);
  const going = (games ?? []).filter((game) => !game.finished);

  return html`<main class=${going.length ? "home with-games" : "home"}>
    <header>
      <img src="icon.svg" alt="" width="40" height="40" />
      <span class="wordmark">Meldsight</span>
    </header>
    <div class="example" aria-hidden="true">
      <div class="fan">${SHOWN.map((card) => html`<${Face} key=${card} card=${card} />`)}</div>
      <p class="sum">
        <${Name} card="9C" /> <b>10</b> + <${Name} card="KD" /> <b>10</b> + <${Name} card="3S" /> <b>5</b> =${" "}
        <b class="total">25</b>
      </p>
    </div>
    <div class="intro">
      <h1 tabindex="-1">The phone that counts your cards</h1>
      ${problem && html`<p class="notice" role="alert">${problem}</p>`}
      ${
        going.length > 0 &&
        html`<section aria-labelledby="going-title">
          <h2 id="going-title">Go on with</h2>
          <ul class="games">
            ${going.map(
              (game) =>
                html`<li key=${game.id}>
                  <a class="game-link" href=${addressOf(["game", game.id])}>
                    <strong>${game.name || listed(game.players)}</strong>
                    <span>${game.rules}: ${standing(game)}</span>
                  </a>
                </li>`,
            )}
          </ul>
        </section>`
      }
      <div class="actions">
        <a class=${`button primary ${going.length ? "second" : ""}`} href="#/new"><${CardsIcon} />New game</a>
        <a class="button tile" href="#/score"><${CameraIcon} />Score one hand</a>
        <a class="button tile" href="#/check"><${ScalesIcon} />Check a contract</a>
      </div>
      <${Join} />
    </div>
    <footer>
      <nav class="more" aria-label="More">
        <a href="#/history"><${ClockIcon} />History</a>
        <a href="#/rules"><${BookIcon} />Rules</a>
        <a href="#/deck"><${CardsIcon} />Your deck</a>
        <a href="#/connection"><${LockIcon} />${me?.secure || hasLiveCamera() ? "Live camera ready" : "Photos only"}</a>
      </nav>
      <p>Photos are read on the computer that runs Meldsight and then dropped. Nothing leaves the house.</p>
    </footer>
  </main>`;
}
