// One rule system on one page: contracts, values, what people get wrong, every setting with its source.

import { html } from "./html.js";
import { sheetAddress } from "./service.js";
import { count } from "./wording.js";

const shown = (value) => (value === true ? "yes" : value === false ? "no" : Array.isArray(value) ? value.join(", ") || "none" : `${value}`);

export function RulesPage({ rules, players = [] }) {
  const jokers = rules.jokers ? ` and ${count(rules.jokers, "joker")}` : ", no jokers";
  return html`<div class="rules-page">
    <p class="lead">${rules.about}</p>
    <p>${rules.players[0]} to ${rules.players[1]} players, ${count(rules.packs, "pack")}${jokers}.</p>
    <section aria-labelledby="contracts-title">
      <h2 id="contracts-title">Rounds</h2>
      <table class="plain-table">
        <thead>
          <tr>
            <th scope="col">Round</th>
            <th scope="col">Contract</th>
            <th scope="col">Cards dealt</th>
          </tr>
        </thead>
        <tbody>
          ${rules.rounds.map(
            ({ number, contract, deal }) =>
              html`<tr key=${number}>
                <th scope="row">${number}</th>
                <td>${contract ? `${contract.words}${contract.whole_hand ? ", the whole hand" : ""}` : "none"}</td>
                <td>${deal}</td>
              </tr>`,
          )}
        </tbody>
      </table>
    </section>
    <section aria-labelledby="points-title">
      <h2 id="points-title">Points of cards left in the hand</h2>
      <table class="plain-table">
        <tbody>
          ${rules.points.map(
            ({ cards, points }) =>
              html`<tr key=${cards}>
                <th scope="row">${cards}</th>
                <td>${points}</td>
              </tr>`,
          )}
        </tbody>
      </table>
    </section>
    ${
      rules.mistakes.length > 0 &&
      html`<section aria-labelledby="mistakes-title">
        <h2 id="mistakes-title">What people get wrong</h2>
        <ul class="mistakes">
          ${rules.mistakes.map(
            ({ text, source }) => html`<li key=${text}>${text} <span class="source">${source}</span></li>`,
          )}
        </ul>
      </section>`
    }
    <details>
      <summary>Every setting, with its source</summary>
      <table class="plain-table settings">
        <tbody>
          ${rules.options.map(
            ({ key, meaning, value, source }) =>
              html`<tr key=${key}>
                <th scope="row">${meaning}</th>
                <td>${shown(value).replaceAll("_", " ")}<span class="source">${source}</span></td>
              </tr>`,
          )}
        </tbody>
      </table>
    </details>
    <p class="links">
      <a href=${sheetAddress(rules.name, players)} target="_blank" rel="noopener">Blank score sheet</a>
    </p>
  </div>`;
}
