// A new game: rule system, house rules, players in the order of their seats, first dealer.

import { Busy, Problem, Screen } from "../frame.js";
import { html, useEffect, useState } from "../html.js";
import { HouseRules } from "../houserules.js";
import { CloseIcon, PlusIcon } from "../icons.js";
import { newKey } from "../outbox.js";
import { goInstead } from "../router.js";
import { newGame, rulesOf, systems as askSystems } from "../service.js";

const NAMES = ["Ana", "Ben", "Cy", "Dot", "Eve", "Finn", "Gus", "Hal"];

function Systems({ systems, chosen, onChoose }) {
  const system = systems.find((each) => each.name === chosen);
  return html`<details class="systems">
    <summary>
      <span><strong>${system.title}</strong> <span class="mark">change</span></span>
      <span class="quiet">${system.about}</span>
    </summary>
    <fieldset>
    <legend class="unseen">Which game?</legend>
    ${systems.map(
      (system) =>
        html`<label key=${system.name} class="system">
          <input type="radio" name="system" checked=${system.name === chosen} onChange=${() => onChoose(system)} />
          <span>
            <strong>${system.title}</strong>
            <span>${system.about}</span>
            <span class="quiet">${system.players[0]} to ${system.players[1]} players</span>
          </span>
        </label>`,
    )}
    </fieldset>
  </details>`;
}

function Players({ players, most, onPlayers }) {
  const change = (place, name) => onPlayers(players.map((other, at) => (at === place ? name : other)));
  const swap = (place) =>
    onPlayers(players.map((name, at) => (at === place ? players[place - 1] : at === place - 1 ? players[place] : name)));
  return html`<fieldset class="players">
    <legend>Who plays, in the order of the seats?</legend>
    <ol>
      ${players.map(
        (name, place) =>
          html`<li key=${place} class="row">
            <input
              aria-label=${`Player ${place + 1}`}
              value=${name}
              maxlength="20"
              placeholder=${NAMES[place]}
              autocomplete="off"
              onInput=${(event) => change(place, event.target.value)}
            />
            <button
              type="button"
              class="round"
              aria-label=${`Seat ${name || `player ${place + 1}`} before ${players[place - 1] || "the one above"}`}
              disabled=${place === 0}
              onClick=${() => swap(place)}
            >
              <span aria-hidden="true">↑</span>
            </button>
            <button
              type="button"
              class="round"
              aria-label=${`Remove ${name || `player ${place + 1}`}`}
              disabled=${players.length <= 2}
              onClick=${() => onPlayers(players.filter((_, at) => at !== place))}
            >
              <${CloseIcon} />
            </button>
          </li>`,
      )}
    </ol>
    <button type="button" class="button small" disabled=${players.length >= most} onClick=${() => onPlayers([...players, ""])}>
      <${PlusIcon} />Add a player
    </button>
  </fieldset>`;
}

export function NewGame() {
  const [systems, setSystems] = useState(null);
  const [system, setSystem] = useState(null);
  const [rules, setRules] = useState(null);
  const [options, setOptions] = useState({});
  const [players, setPlayers] = useState(["", "", ""]);
  const [dealer, setDealer] = useState(0);
  const [name, setName] = useState("");
  const [problem, setProblem] = useState(null);
  const [isSending, setSending] = useState(false);
  // One key for one game: tapping twice must not begin two.
  const [key, setKey] = useState(newKey);

  useEffect(() => {
    askSystems().then((all) => {
      setSystem(all.find((each) => each.default) ?? all[0]);
      setSystems(all);
    }, setProblem);
  }, []);
  useEffect(() => {
    if (!system) return;
    setRules(null);
    setOptions({});
    rulesOf(system.name).then(setRules, setProblem);
  }, [system?.name]);

  const named = players.map((player) => player.trim());
  const isComplete = system && named.every(Boolean) && new Set(named).size === named.length;
  const begin = async (event) => {
    event.preventDefault();
    setSending(true);
    setProblem(null);
    const game = { rules: system.name, options, players: named, dealer: named[Math.min(dealer, named.length - 1)] };
    try {
      const begun = await newGame(name.trim() ? { ...game, name: name.trim() } : game, key);
      goInstead(["game", begun.id]);
    } catch (error) {
      setProblem(error);
      setSending(false);
      if (!error.isPassing) setKey(newKey());
    }
  };

  return html`<${Screen} title="New game">
    ${!systems && !problem && html`<${Busy} />`}
    ${
      systems &&
      system &&
      html`<form class="new-game" onSubmit=${begin}>
        <${Systems} systems=${systems} chosen=${system.name} onChoose=${setSystem} />
        <${Players} players=${players} most=${system.players[1]} onPlayers=${setPlayers} />
        <div class="field">
          <label for="dealer">Who deals first?</label>
          <select id="dealer" onChange=${(event) => setDealer(event.target.selectedIndex)}>
            ${players.map(
              (player, place) =>
                html`<option key=${place} selected=${place === dealer}>${player.trim() || `Player ${place + 1}`}</option>`,
            )}
          </select>
        </div>
        <div class="field">
          <label for="game-name">A name for the game, if you like</label>
          <input id="game-name" value=${name} maxlength="40" onInput=${(event) => setName(event.target.value)} />
        </div>
        ${rules && html`<${HouseRules} rules=${rules} options=${options} onOptions=${setOptions} />`}
        <${Problem} problem=${problem} />
        <div class="bar">
          <p class="hint">${isComplete ? "" : "Every player needs a name of their own."}</p>
          <button class="button primary" disabled=${!isComplete || isSending}>Start</button>
        </div>
      </form>`
    }
    ${!systems && html`<${Problem} problem=${problem} />`}
  <//>`;
}
