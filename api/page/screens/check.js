// Checking what lies on the table: each meld outlined and named, allowed or not, and every reason with its source.

import { Face, label, spoken } from "../cards.js";
import { Dialog } from "../dialog.js";
import { Head, Problem } from "../frame.js";
import { doubtfulIds, openDoubts } from "../hand.js";
import { html, useEffect, useState } from "../html.js";
import { BackIcon, CardsIcon, CheckIcon, CloseIcon, PlusIcon, UndoIcon } from "../icons.js";
import { Live } from "../live.js";
import { cardsOf, changeCard, codesOf, dropCard, layCard, meldsOf, moveCard, noMelds, undo } from "../melds.js";
import { notify } from "../notices.js";
import { Outlines } from "../outlines.js";
import { Scanning, useScanning } from "../scanning.js";
import { check as askCheck, layMelds, rulesOf, systems as askSystems } from "../service.js";
import { Sheet } from "../sheet.js";
import { Ways } from "../ways.js";

const WAYS = { name: "ways" };

/** The service's verdict on the melds; {verdict, problem}, the verdict null while it is on its way. */
function useVerdict(melds, question) {
  const key = JSON.stringify([codesOf(melds), question]);
  const [answer, setAnswer] = useState({ key: null, verdict: null, problem: null });
  const [attempt, setAttempt] = useState(0);
  useEffect(() => {
    if (!codesOf(melds).length || !question) return undefined;
    const control = new AbortController();
    askCheck({ ...question, melds: codesOf(melds) }, control.signal).then(
      (verdict) => setAnswer({ key, verdict, problem: null }),
      (problem) => problem.name === "AbortError" || setAnswer({ key, verdict: null, problem }),
    );
    return () => control.abort();
  }, [key, attempt]);
  const isCurrent = answer.key === key;
  return {
    verdict: isCurrent ? answer.verdict : null,
    problem: isCurrent ? answer.problem : null,
    retry: () => setAttempt(attempt + 1),
  };
}

/** Which rules and which round, where there is no game to say so. */
function useChosenRules(isNeeded) {
  const [systems, setSystems] = useState([]);
  const [rules, setRules] = useState(null);
  const [round, setRound] = useState(1);
  const choose = (name) => rulesOf(name).then(setRules, () => {});
  useEffect(() => {
    if (!isNeeded) return;
    askSystems().then(
      (all) => {
        setSystems(all);
        choose((all.find((each) => each.default) ?? all[0]).name);
      },
      () => {},
    );
  }, []);
  return { systems, rules, round, setRound, choose };
}

function ChosenRules({ chosen }) {
  const { systems, rules, round, setRound, choose } = chosen;
  if (!rules) return null;
  const contracts = rules.rounds.filter((each) => each.contract);
  return html`<div class="chosen">
    <div class="field">
      <label for="system">Rules</label>
      <select id="system" onChange=${(event) => choose(systems[event.target.selectedIndex].name)}>
        ${systems.map(
          (system) => html`<option key=${system.name} selected=${system.name === rules.name}>${system.title}</option>`,
        )}
      </select>
    </div>
    ${
      contracts.length > 0 &&
      html`<div class="field">
        <label for="round">Round</label>
        <select id="round" onChange=${(event) => setRound(contracts[event.target.selectedIndex].number)}>
          ${contracts.map(
            ({ number, contract }) =>
              html`<option key=${number} selected=${number === round}>${number}: ${contract.words}</option>`,
          )}
        </select>
      </div>`
    }
  </div>`;
}

function Faults({ faults }) {
  return html`<ul class="faults">
    ${faults.map(
      (fault, place) =>
        html`<li key=${place}>
          <p>${fault.text}</p>
          ${fault.source && html`<p class="source">Rule: ${fault.source}</p>`}
        </li>`,
    )}
  </ul>`;
}

/** What a wild card stands for, by the ids of the cards. */
function forcedValues(melds, verdict) {
  const values = new Map();
  (verdict?.groups ?? []).forEach((judged, group) => {
    if (!melds.groups[group]) return;
    const left = [...(judged.jokers ?? [])];
    for (const held of cardsOf(melds, group)) {
      const place = left.findIndex((joker) => joker.card === held.card);
      if (place >= 0) values.set(held.id, left.splice(place, 1)[0].value);
    }
  });
  return values;
}

const ranked = (value) => (/^[2-9TJQKA][CDHS]$/.test(value) ? label(value) : value === "T" ? "10" : value);

function Group({ melds, group, judged, values, doubtful, onPick, onMove, onAdd }) {
  const isLegal = judged ? judged.reading !== null && !judged.faults.length : null;
  const name = judged?.name ?? `Group ${group + 1}`;
  const dropped = (event) => {
    event.preventDefault();
    const id = event.dataTransfer.getData("text/card");
    if (id) onMove(Number(id), group);
  };
  const over = (event) => event.dataTransfer.types.includes("text/card") && event.preventDefault();
  return html`<section class=${`meld ${isLegal === false ? "illegal" : ""}`} aria-label=${name} onDragOver=${over} onDrop=${dropped}>
    <h3>
      ${isLegal === null ? "" : isLegal ? html`<${CheckIcon} />` : html`<${CloseIcon} />`}${name}
      ${isLegal === false && html`<span class="unseen">, not a meld</span>`}
    </h3>
    <ol class="cards">
      ${cardsOf(melds, group).map((held) => {
        const value = values.get(held.id);
        const told = [spoken(held.card), value ? `stands for ${ranked(value)}` : "", doubtful.has(held.id) ? "to check" : "", "change or move"];
        return html`<li key=${held.id}>
          <button
            class=${doubtful.has(held.id) ? "held doubtful" : "held"}
            draggable="true"
            onDragStart=${(event) => event.dataTransfer.setData("text/card", `${held.id}`)}
            onClick=${() => onPick(held.id)}
          >
            <span class="unseen">${told.filter(Boolean).join(", ")}</span>
            <${Face} card=${held.card} />
            ${value && html`<span class="points" aria-hidden="true">= ${ranked(value)}</span>`}
          </button>
        </li>`;
      })}
      <li>
        <button class="held add" onClick=${onAdd}>
          <span class="face blank"><${PlusIcon} /></span><span class="unseen">Add a card to ${name}</span>
        </button>
      </li>
    </ol>
  </section>`;
}

/** What to do with one card: another one, another group, or none at all. */
function CardDialog({ melds, held, onChange, onMove, onDrop, onClose }) {
  const own = melds.groups.findIndex((ids) => ids.includes(held.id));
  return html`<${Dialog} title=${`The ${spoken(held.card)}`} onClose=${onClose}>
    <div class="others">
      <button class="button" onClick=${onChange}>It is another card</button>
      <button class="button danger" onClick=${onDrop}>Not a card</button>
    </div>
    <h3>Move it to</h3>
    <div class="moves">
      ${melds.groups.map(
        (_, group) =>
          group !== own &&
          html`<button key=${group} class="button" onClick=${() => onMove(group)}>
            ${cardsOf(melds, group).map((other) => label(other.card)).join(" ")}
          </button>`,
      )}
      <button class="button" onClick=${() => onMove(melds.groups.length)}>A group of its own</button>
    </div>
  <//>`;
}

function LayDown({ game, round, melds, verdict }) {
  const waiting = Object.entries(game.round.states).filter(([, state]) => state === "waiting" || state === "down");
  const [problem, setProblem] = useState(null);
  const lay = (player) =>
    layMelds(game.id, round, player, codesOf(melds)).then(
      () => notify(`${player} is down.`),
      (error) => setProblem(error),
    );
  if (!verdict || game.role === "viewer" || !waiting.length) return null;
  return html`<section aria-labelledby="whose-title">
    <h2 id="whose-title">Whose melds are these?</h2>
    <p class="hint">They then count against the packs when hands of this round are read.</p>
    <div class="moves">
      ${waiting.map(([player]) => html`<button key=${player} class="button" onClick=${() => lay(player)}>${player} is down</button>`)}
    </div>
    <${Problem} problem=${problem} />
  </section>`;
}

export function Check({ table = null, back = "#/" }) {
  const game = table?.game ?? null;
  const [screen, setScreen] = useState(WAYS);
  const [event, setEvent] = useState("laydown");
  const [picked, setPicked] = useState(null);
  const [problem, setProblem] = useState(null);
  const chosen = useChosenRules(!game);
  const place = game ? { game: game.id } : {};
  const scanning = useScanning(place, (sentence) => setProblem({ message: sentence, isPassing: false }));
  const melds = screen.melds ?? noMelds();
  const hasContract = game ? game.rules.contracts : chosen.rules?.rounds.some((each) => each.contract);
  const round = game ? game.round.number : chosen.round;
  const question = game
    ? { game: game.id, round, event, kept: "" }
    : chosen.rules && { rules: chosen.rules.name, options: {}, round, event, kept: "" };
  const { verdict, problem: failed, retry } = useVerdict(melds, question);

  const onMelds = (next) => setScreen({ name: "melds", melds: next });
  const found = ({ scene }) => onMelds(meldsOf(scene));
  const read = (file) => {
    setProblem(null);
    scanning.read(file, found);
  };
  const leave = () => {
    if (screen.name === "ways") location.hash = back;
    else setScreen(WAYS);
  };
  useEffect(() => document.querySelector("h1")?.focus({ preventScroll: true }), [screen.name, scanning.state === null]);

  if (scanning.state) return html`<${Scanning} state=${scanning.state} onStop=${() => scanning.stop()} />`;
  if (screen.name === "live") {
    return html`<${Live}
      place=${place}
      onTaken=${(frame, answer) => {
        scanning.show(frame);
        found(answer);
      }}
      onPhoto=${read}
      onClose=${() => setScreen(WAYS)}
      onRefused=${(sentence) => {
        setProblem({ message: sentence, isPassing: false });
        setScreen(WAYS);
      }}
    />`;
  }
  if (screen.name === "ways") {
    return html`<main class="screen">
      <${Head} title=${hasContract === false ? "Check the table" : "Check a contract"} back=${back} />
      <p class="lead">
        Lay the melds apart from each other, and take one photo from above. Each is named, and judged by the rules.
      </p>
      ${!game && html`<${ChosenRules} chosen=${chosen} />`}
      ${game?.round.contract && html`<p class="contract-words">Round ${round}: ${game.round.contract.words}</p>`}
      <${Problem} problem=${problem} />
      <${Ways} onFile=${read} onLive=${() => setScreen({ name: "live" })}>
        <button class="button tile" onClick=${() => onMelds(noMelds())}><${CardsIcon} />Tap cards in</button>
      <//>
    </main>`;
  }

  const open = openDoubts(melds);
  const doubtful = doubtfulIds(open);
  const values = forcedValues(melds, verdict);
  const judged = (group) => verdict?.groups[group];
  const held = melds.cards.find((each) => each.id === picked?.id);
  const outlined = melds.groups.map((ids, group) => ({
    ids,
    name: judged(group)?.name ?? `Group ${group + 1}`,
    kind: !judged(group) ? "" : judged(group).reading && !judged(group).faults.length ? "legal" : "illegal",
  }));
  const valueTag = ({ id, card }) =>
    values.get(id) ? `= ${ranked(values.get(id))}` : doubtful.has(id) ? `${label(card)}?` : null;
  const faults = [...(verdict?.faults ?? []), ...(verdict?.groups ?? []).flatMap((group) => group.faults)];
  const reasons = faults.filter((fault, at) => faults.findIndex((other) => other.text === fault.text) === at);
  const pick = (card) => {
    if (picked.what === "add") onMelds(layCard(melds, picked.group, card));
    else {
      onMelds(changeCard(melds, held.id, card));
      setPicked(null);
    }
  };

  return html`<main class=${melds.size ? "result" : "result plain"}>
    <header class="over">
      <button class="round" aria-label="Back" onClick=${leave}><${BackIcon} /></button>
      <h1 tabindex="-1">The melds</h1>
    </header>
    ${
      melds.size &&
      html`<div class="look">
        <${Outlines}
          url=${scanning.url.current}
          size=${melds.size}
          cards=${melds.cards}
          doubtful=${doubtful}
          groups=${outlined}
          textOf=${valueTag}
          onPick=${(id) => setPicked({ what: "card", id })}
        />
      </div>`
    }
    <div class="read">
      <section class=${`verdict ${verdict ? (verdict.legal ? "legal" : "illegal") : ""}`} role="status">
        ${
          verdict
            ? html`<h2>
                ${verdict.legal ? html`<${CheckIcon} />` : html`<${CloseIcon} />`}
                ${verdict.legal ? "Allowed" : "Not allowed"}
              </h2>
              ${verdict.contract && html`<p class="quiet">Round ${round}: ${verdict.contract.words}</p>`}
              ${reasons.length > 0 && html`<${Faults} faults=${reasons} />`}
              ${verdict.warnings.map((warning) => html`<p key=${warning} class="hint">${warning}</p>`)}`
            : failed
              ? html`<${Problem} problem=${failed} onRetry=${retry} />`
              : html`<p class="quiet">${codesOf(melds).length ? "Judging…" : "Add the cards of each group."}</p>`
        }
        ${open.length > 0 && html`<p class="hint">To check: ${open.map((doubt) => doubt.text).join(" ")}</p>`}
      </section>
      ${
        hasContract &&
        html`<fieldset class="segments">
          <legend class="unseen">What lies there?</legend>
          ${[
            ["laydown", "Just laid down"],
            ["snapshot", "Later on"],
          ].map(
            ([name, text]) =>
              html`<label key=${name}>
                <input type="radio" name="event" checked=${event === name} onChange=${() => setEvent(name)} />
                <span>${text}</span>
              </label>`,
          )}
        </fieldset>`
      }
      ${melds.groups.map(
        (_, group) =>
          html`<${Group}
            key=${group}
            melds=${melds}
            group=${group}
            judged=${judged(group)}
            values=${values}
            doubtful=${doubtful}
            onPick=${(id) => setPicked({ what: "card", id })}
            onMove=${(id, target) => onMelds(moveCard(melds, id, target))}
            onAdd=${() => setPicked({ what: "add", group })}
          />`,
      )}
      ${
        codesOf(melds).length > 0 &&
        html`<button class="button small" onClick=${() => setPicked({ what: "add", group: melds.groups.length })}>
          <${PlusIcon} />Another group
        </button>`
      }
      ${game && html`<${LayDown} game=${game} round=${round} melds=${melds} verdict=${verdict} />`}
    </div>
    <div class="bar">
      <button class="button plain" disabled=${!melds.before} onClick=${() => onMelds(undo(melds))}>
        <${UndoIcon} />Undo
      </button>
      <button class="button plain" onClick=${() => setScreen(WAYS)}>New photo</button>
    </div>
    ${
      picked?.what === "card" &&
      held &&
      html`<${CardDialog}
        melds=${melds}
        held=${held}
        onChange=${() => setPicked({ what: "change", id: held.id })}
        onMove=${(group) => {
          onMelds(moveCard(melds, held.id, group));
          setPicked(null);
        }}
        onDrop=${() => {
          onMelds(dropCard(melds, held.id));
          setPicked(null);
        }}
        onClose=${() => setPicked(null)}
      />`
    }
    ${
      (picked?.what === "add" || (picked?.what === "change" && held)) &&
      html`<${Sheet}
        held=${picked.what === "change" ? held : null}
        added=${picked.what === "add" && melds.groups[picked.group] ? cardsOf(melds, picked.group).map(({ card }) => card) : []}
        photo=${{ url: scanning.url.current, size: melds.size }}
        onChoose=${pick}
        onRemove=${() => {
          onMelds(dropCard(melds, held.id));
          setPicked(null);
        }}
        onClose=${() => setPicked(null)}
      />`
    }
  </main>`;
}
