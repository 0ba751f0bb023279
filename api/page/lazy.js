// Screens that are loaded when they are first opened, so that the first one is soon there.

import { Busy, Problem, Screen } from "./frame.js";
import { html, useEffect, useState } from "./html.js";

const AWAY = { message: "This screen could not be loaded: the service does not answer.", isPassing: true };

/**
 * A component that stands for one of a module.
 * @param {() => Promise<object>} load imports the module
 * @param {string} name of the component in it
 */
export function lazy(load, name) {
  let loaded = null;
  return function Later(props) {
    const [Ready, setReady] = useState(() => loaded);
    const [problem, setProblem] = useState(null);
    const fetchIt = () => {
      setProblem(null);
      load().then(
        (module) => {
          loaded = module[name];
          setReady(() => loaded);
        },
        () => setProblem(AWAY),
      );
    };
    useEffect(() => void (Ready ?? fetchIt()), []);
    useEffect(() => {
      if (Ready) document.querySelector("h1")?.focus({ preventScroll: true });
    }, [Ready]);
    if (Ready) return html`<${Ready} ...${props} />`;
    return html`<${Screen} title="One moment">
      ${problem ? html`<${Problem} problem=${problem} onRetry=${fetchIt} />` : html`<${Busy} />`}
    <//>`;
  };
}
