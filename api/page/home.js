// The first screen: ways to get a hand onto the page.

import { Face, Name } from "./cards.js";
import { html } from "./html.js";
import { CameraIcon, CardsIcon, LiveIcon, PictureIcon } from "./icons.js";

// Named one by one, not image/*, so that iPhones hand over JPEG and not HEIC.
const KINDS = "image/jpeg,image/png,image/webp";

const SHOWN = ["9C", "KD", "3S"];

const hasLiveCamera = () => Boolean(navigator.mediaDevices?.getUserMedia);

function FileButton({ className, capture, onFile, children }) {
  const chosen = (event) => {
    const [file] = event.target.files;
    // So that the same file can be chosen once more.
    event.target.value = "";
    if (file) onFile(file);
  };
  return html`<label class=${`button ${className}`}>
    <input type="file" accept=${KINDS} capture=${capture} onChange=${chosen} />${children}
  </label>`;
}

export function Home({ rules, problem, onFile, onRetry, onLive, onByHand }) {
  return html`<main class="home">
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
      <h1 tabindex="-1">What is left in the hand?</h1>
      <p class="lead">
        Fan the cards so that every corner shows, and take one photo. Each card gets its points, and the sum is spelt
        out.
      </p>
      ${
        problem &&
        html`<div class="notice" role="alert">
          <p>${problem.text}</p>
          ${problem.file && html`<button class="button small" onClick=${onRetry}>Send it again</button>`}
        </div>`
      }
      <div class="actions">
        <${FileButton} className="primary" capture="environment" onFile=${onFile}><${CameraIcon} />Take a photo<//>
        <${FileButton} className="tile" onFile=${onFile}><${PictureIcon} />Choose a picture<//>
        ${hasLiveCamera() && html`<button class="button tile" onClick=${onLive}><${LiveIcon} />Live camera</button>`}
        <button class="button tile" onClick=${onByHand}><${CardsIcon} />Tap cards in</button>
      </div>
    </div>
    <footer>
      ${rules && html`<p>Points as in <b>${rules}</b>.</p>`}
      <p>Photos are read on the computer that runs Meldsight and then dropped. Nothing leaves the house.</p>
    </footer>
  </main>`;
}
