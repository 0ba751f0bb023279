// House rules as switches and choices, each with its default and its source.

import { html } from "./html.js";

const shown = (value) => (value === true ? "yes" : value === false ? "no" : Array.isArray(value) ? value.join(", ") : `${value}`);

/** What a person typed, as the value of an option. */
const typed = (text) => (/^-?\d+$/.test(text.trim()) ? Number(text) : text.trim());

function Option({ option, value, onValue }) {
  const id = `option-${option.key}`;
  const about = `${id}-about`;
  const isChanged = value !== undefined;
  const now = isChanged ? value : option.value;
  const field = () => {
    if (option.kind === "switch") {
      return html`<input
        id=${id}
        type="checkbox"
        role="switch"
        aria-describedby=${about}
        checked=${now}
        onChange=${(event) => onValue(event.target.checked)}
      />`;
    }
    if (option.kind === "choice") {
      return html`<select
        id=${id}
        aria-describedby=${about}
        onChange=${(event) => onValue(option.choices[event.target.selectedIndex])}
      >
        ${option.choices.map(
          (choice) => html`<option key=${choice} selected=${choice === now}>${shown(choice).replaceAll("_", " ")}</option>`,
        )}
      </select>`;
    }
    if (option.kind === "text") return html`<output id=${id} aria-describedby=${about}>${shown(now)}</output>`;
    // A number, or one of a few words.
    return html`<input
        id=${id}
        aria-describedby=${about}
        value=${shown(now)}
        list=${option.choices.length ? `${id}-words` : undefined}
        inputmode=${option.choices.length ? undefined : "numeric"}
        onChange=${(event) => onValue(typed(event.target.value))}
      />${
        option.choices.length > 0 &&
        html`<datalist id=${`${id}-words`}>${option.choices.map((word) => html`<option key=${word}>${word}</option>`)}</datalist>`
      }`;
  };
  return html`<div class=${isChanged ? "option-row changed" : "option-row"}>
    <label for=${id}>${option.meaning}</label>
    ${field()}
    <p id=${about} class="quiet">
      ${isChanged ? `Otherwise ${shown(option.value)}` : "As the rules have it"}${option.source ? ` (${option.source})` : ""}.
      ${option.note}
    </p>
  </div>`;
}

/** The settings of a rule system, those in `options` changed. */
export function HouseRules({ rules, options, onOptions }) {
  const groups = new Map();
  for (const option of rules.options) groups.set(option.group, [...(groups.get(option.group) ?? []), option]);
  const set = (option, value) => {
    const { [option.key]: _, ...others } = options;
    onOptions(JSON.stringify(value) === JSON.stringify(option.value) ? others : { ...others, [option.key]: value });
  };
  const changed = Object.keys(options).length;
  return html`<section class="house" aria-labelledby="house-title">
    <h2 id="house-title">House rules</h2>
    <p class="quiet">${changed ? `${changed} changed.` : "None changed: played as the rules have it."}</p>
    ${[...groups].map(
      ([name, members]) =>
        html`<details key=${name}>
          <summary>
            ${name}${members.some((option) => option.key in options) ? html` <span class="mark">changed</span>` : ""}
          </summary>
          ${members.map(
            (option) =>
              html`<${Option}
                key=${`${rules.name} ${option.key}`}
                option=${option}
                value=${options[option.key]}
                onValue=${(value) => set(option, value)}
              />`,
          )}
        </details>`,
    )}
  </section>`;
}
