// The rules of a system, or as a game plays them.

import { Busy, GameScreen, Problem, Screen } from "../frame.js";
import { html, useEffect, useState } from "../html.js";
import { addressOf } from "../router.js";
import { RulesPage } from "../rulespage.js";
import { rulesOf, systems as askSystems } from "../service.js";

function useRules(name, game) {
  const [rules, setRules] = useState(null);
  const [problem, setProblem] = useState(null);
  useEffect(() => {
    setRules(null);
    if (name) rulesOf(name, game?.id).then(setRules, setProblem);
  }, [name, game?.id, JSON.stringify(game?.rules.options)]);
  return { rules, problem };
}

/** The rules as this game plays them. */
export function GameRules({ table }) {
  const { game } = table;
  const { rules, problem } = useRules(game?.rules.name, game);
  const changed = Object.keys(game?.rules.options ?? {}).length;
  return html`<${GameScreen} table=${table} title=${game?.rules.title ?? "Rules"} here="rules">
    <${Problem} problem=${problem} />
    ${changed > 0 && html`<p class="quiet">With ${changed} house ${changed === 1 ? "rule" : "rules"} of this game.</p>`}
    ${rules ? html`<${RulesPage} rules=${rules} players=${game.players.map(({ name }) => name)} />` : html`<${Busy} />`}
  <//>`;
}

/** Every system that the service knows. */
export function Systems() {
  const [systems, setSystems] = useState(null);
  const [problem, setProblem] = useState(null);
  useEffect(() => void askSystems().then(setSystems, setProblem), []);
  return html`<${Screen} title="Rules">
    <${Problem} problem=${problem} />
    ${
      systems &&
      html`<ul class="games">
        ${systems.map(
          (system) =>
            html`<li key=${system.name}>
              <a class="game-link" href=${addressOf(["rules", system.name])}>
                <strong>${system.title}</strong><span>${system.about}</span>
              </a>
            </li>`,
        )}
      </ul>`
    }
  <//>`;
}

export function System({ name }) {
  const { rules, problem } = useRules(name, null);
  return html`<${Screen} title=${rules?.title ?? "Rules"} back="#/rules">
    <${Problem} problem=${problem} />
    ${rules && html`<${RulesPage} rules=${rules} />`}
  <//>`;
}
