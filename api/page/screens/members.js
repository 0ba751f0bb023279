// The table: who plays, which phones are in, who may do what, and the way in for one more.

import { Question, useActs } from "../acts.js";
import { GameScreen, Problem } from "../frame.js";
import { HouseRules } from "../houserules.js";
import { html, useEffect, useState } from "../html.js";
import { notify } from "../notices.js";
import { goInstead } from "../router.js";
import { dropGame, invite, members as askMembers, removeMember, rulesOf, setRole } from "../service.js";

const ROLES = { host: "host: may do everything", player: "player: enters hands", viewer: "viewer: looks on" };

/** An SVG drawing as the address of an image; there it needs its namespace, which it does not within a page. */
function addressOfSvg(svg) {
  const named = svg.includes("xmlns=") ? svg : svg.replace("<svg", '<svg xmlns="http://www.w3.org/2000/svg"');
  return `data:image/svg+xml,${encodeURIComponent(named)}`;
}

function Invitation({ game }) {
  const [role, setRoleOf] = useState("player");
  const [shown, setShown] = useState(null);
  const [problem, setProblem] = useState(null);
  const ask = () => invite(game.id, role).then(setShown, setProblem);
  return html`<section aria-labelledby="invite-title">
    <h2 id="invite-title">One more phone</h2>
    <fieldset class="segments">
      <legend class="unseen">Invited as</legend>
      ${["player", "viewer"].map(
        (name) =>
          html`<label key=${name}>
            <input type="radio" name="role" checked=${name === role} onChange=${() => setRoleOf(name)} />
            <span>as ${name}</span>
          </label>`,
      )}
    </fieldset>
    <button class="button" onClick=${ask}>Show the code</button>
    <${Problem} problem=${problem} />
    ${
      shown &&
      html`<div class="invitation">
        <img
          src=${addressOfSvg(shown.qr)}
          alt="QR code with the link to this table"
          width="220"
          height="220"
        />
        <p>Scan it with the phone's camera, or type this code on its first screen:</p>
        <p class="code">${shown.code}</p>
        <p class="quiet">
          Joins as ${shown.role}; the code is good until
          ${" "}${new Date(shown.expires).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" })}.
        </p>
      </div>`
    }
  </section>`;
}

function Phones({ game, isHost }) {
  const [phones, setPhones] = useState([]);
  const [problem, setProblem] = useState(null);
  const load = () => askMembers(game.id).then(setPhones, setProblem);
  useEffect(() => void load(), [game]);
  const change = (doing) => doing.then(load, setProblem);
  const leave = (phone) =>
    removeMember(game.id, phone.device).then(() => (phone.me ? goInstead([]) : load()), setProblem);
  return html`<section aria-labelledby="phones-title">
    <h2 id="phones-title">Phones</h2>
    <${Problem} problem=${problem} />
    <ul class="phones">
      ${phones.map(
        (phone) =>
          html`<li key=${phone.device} class="row">
            <span class="who"><strong>${phone.name}</strong>${phone.me ? " (this one)" : ""}</span>
            ${
              isHost
                ? html`<select
                    aria-label=${`Role of ${phone.name}`}
                    onChange=${(event) => change(setRole(game.id, phone.device, event.target.value))}
                  >
                    ${Object.keys(ROLES).map(
                      (role) => html`<option key=${role} selected=${role === phone.role}>${role}</option>`,
                    )}
                  </select>`
                : html`<span class="quiet">${phone.role}</span>`
            }
            ${
              (isHost || phone.me) &&
              html`<button class="button small" aria-label=${phone.me ? "Leave this game" : `Remove ${phone.name}`} onClick=${() => leave(phone)}>
                ${phone.me ? "Leave" : "Remove"}
              </button>`
            }
          </li>`,
      )}
    </ul>
    <p class="quiet">You are ${ROLES[game.role]}.</p>
  </section>`;
}

function Players({ game, acts }) {
  const [name, setName] = useState("");
  const [points, setPoints] = useState("0");
  const present = game.players.filter((player) => player.present);
  const come = async (event) => {
    event.preventDefault();
    const player = name.trim();
    const joined = { kind: "player_joined", player, points: Number(points) || 0 };
    if (await acts.act(joined, `${player} plays from now on.`)) setName("");
  };
  return html`<section aria-labelledby="players-title">
    <h2 id="players-title">Players</h2>
    <ul class="phones">
      ${present.map(
        (player) =>
          html`<li key=${player.name} class="row">
            <span class="who"><strong>${player.name}</strong>${player.name === game.round.dealer ? " deals" : ""}</span>
            ${
              player.name !== game.round.dealer &&
              html`<button
                class="button small"
                aria-label=${`${player.name} deals this round`}
                onClick=${() => acts.act({ kind: "dealer_set", player: player.name }, `${player.name} deals.`)}
              >
                Deals
              </button>`
            }
            <button
              class="button small"
              aria-label=${`${player.name} leaves the game`}
              onClick=${() => acts.act({ kind: "player_left", player: player.name }, `${player.name} has left the game.`)}
            >
              Leaves
            </button>
          </li>`,
      )}
    </ul>
    <form class="row" onSubmit=${come}>
      <input aria-label="Name of a new player" placeholder="New player" value=${name} maxlength="20" onInput=${(event) => setName(event.target.value)} />
      <input
        class="narrow"
        aria-label="Points to start from"
        inputmode="numeric"
        value=${points}
        onInput=${(event) => setPoints(event.target.value)}
      />
      <button class="button" disabled=${!name.trim()}>Joins</button>
    </form>
  </section>`;
}

function Settings({ game, acts }) {
  const [rules, setRules] = useState(null);
  const [options, setOptions] = useState({});
  const open = (event) => {
    if (event.target.open && !rules) rulesOf(game.rules.name).then(setRules, () => {});
  };
  useEffect(() => setOptions(game.rules.options), [JSON.stringify(game.rules.options)]);
  const isChanged = JSON.stringify(options) !== JSON.stringify(game.rules.options);
  // A rule that goes back to its default has to be said as well.
  const all = () => ({
    ...Object.fromEntries(
      rules.options.filter(({ key }) => key in game.rules.options).map(({ key, value }) => [key, value]),
    ),
    ...options,
  });
  return html`<details class="house-rules" onToggle=${open}>
    <summary>House rules of this game</summary>
    ${
      rules &&
      html`<${HouseRules} rules=${rules} options=${options} onOptions=${setOptions} />
        <p class="quiet">Every hand that is written down is counted anew.</p>
        <button
          class="button go"
          disabled=${!isChanged || acts.isBusy}
          onClick=${() => acts.act({ kind: "settings_changed", options: all() }, "Played by the new rules from now on.")}
        >
          Play by these
        </button>`
    }
  </details>`;
}

export function Members({ table }) {
  const { game } = table;
  const acts = useActs(table);
  const [isSure, setSure] = useState(false);
  const isHost = game?.role === "host";
  const drop = () =>
    dropGame(game.id).then(() => {
      notify("The game is deleted.");
      goInstead([]);
    }, table.reload);
  return html`<${GameScreen} table=${table} title="The table" here="table">
    ${
      game &&
      html`
        <${Problem} problem=${acts.problem} />
        ${isHost && html`<${Invitation} game=${game} />`}
        <${Phones} game=${game} isHost=${isHost} />
        ${
          isHost &&
          html`${!game.finished && html`<${Players} game=${game} acts=${acts} />`}
            <${Settings} game=${game} acts=${acts} />
            ${
              isSure
                ? html`<div class="row">
                    <button class="button danger" onClick=${drop}>Yes, delete all of it</button>
                    <button class="button" onClick=${() => setSure(false)}>No</button>
                  </div>`
                : html`<button class="button danger" onClick=${() => setSure(true)}>Delete this game</button>`
            }`
        }
        <${Question} question=${acts.question} />
      `
    }
  <//>`;
}
