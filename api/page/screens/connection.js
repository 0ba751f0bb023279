// How this phone is connected, and what it gains by the next step.

import { hasLiveCamera } from "../camera.js";
import { Screen } from "../frame.js";
import { html, useEffect, useState } from "../html.js";
import { CheckIcon } from "../icons.js";
import { me as askMe } from "../service.js";

const RUNGS = [
  {
    title: "Photos",
    gives: "Every phone can do this: the phone's own camera takes the photo, with its focus and its light.",
    next: "Start Meldsight with --https on its computer and open the address that it prints then.",
  },
  {
    title: "Live camera",
    gives: "Cards are outlined while the camera looks at them, hands-free counting works, the screen stays on.",
    next: "Let this phone trust the computer's certificate: five steps, once.",
  },
  {
    title: "Trusted",
    gives: "No warning any more; the page can be put on the home screen and opens also while the computer is away.",
    next: null,
  },
];

/** 0, 1 or 2: the rung this browser stands on. */
async function rung() {
  if (!window.isSecureContext || !hasLiveCamera()) return 0;
  const worker = await navigator.serviceWorker?.getRegistration().catch(() => undefined);
  return worker ? 2 : 1;
}

export function Connection() {
  const [here, setHere] = useState(null);
  const [me, setMe] = useState(null);
  useEffect(() => {
    rung().then(setHere);
    askMe().then(setMe, () => {});
  }, []);
  return html`<${Screen} title="This phone's connection">
    <ol class="rungs">
      ${RUNGS.map(
        ({ title, gives }, place) =>
          html`<li key=${title} class=${here === null ? "" : place <= here ? "reached" : ""} aria-current=${place === here ? "step" : undefined}>
            <h2>${here !== null && place <= here && html`<${CheckIcon} />`}${title}${place === here ? html` <span class="mark">here</span>` : ""}</h2>
            <p>${gives}</p>
          </li>`,
      )}
    </ol>
    ${here !== null && RUNGS[here].next && html`<p class="notice">To the next step: ${RUNGS[here].next}</p>`}
    ${
      me?.ca &&
      here !== 2 &&
      html`<section aria-labelledby="trust-title">
        <h2 id="trust-title">Let this phone trust the certificate</h2>
        <p><a class="button" href="/ca.crt">Load the certificate</a></p>
        <h3>iPhone, iPad</h3>
        <ol class="steps">
          <li>Open this page in Safari, tap the button above, and allow the download.</li>
          <li>Settings, General, VPN and Device Management: choose Meldsight, Install.</li>
          <li>Settings, General, About, Certificate Trust Settings: switch on the one named Meldsight.</li>
          <li>Open this page again.</li>
        </ol>
        <h3>Android</h3>
        <ol class="steps">
          <li>Tap the button above; the file goes to Downloads.</li>
          <li>Settings, Security, Encryption and credentials, Install a certificate, CA certificate.</li>
          <li>Choose the file, and read the warning: it is true of certificates that you do not know.</li>
          <li>Open this page again in Chrome.</li>
        </ol>
        <p class="quiet">
          Its key never leaves the computer that runs Meldsight; whoever has that key could vouch for any address. Remove
          the certificate in the same place when you no longer play.
        </p>
      </section>`
    }
  <//>`;
}
