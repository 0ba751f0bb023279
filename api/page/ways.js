// Ways to get cards onto the page: a photo, a picture, the live camera.

import { hasLiveCamera } from "./camera.js";
import { html } from "./html.js";
import { CameraIcon, LiveIcon, PictureIcon } from "./icons.js";

// Named one by one, not image/*, so that iPhones hand over JPEG and not HEIC.
const KINDS = "image/jpeg,image/png,image/webp";

export function FileButton({ className, capture, onFile, children }) {
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

export function Ways({ onFile, onLive, children }) {
  return html`<div class="actions">
    <${FileButton} className="primary" capture="environment" onFile=${onFile}><${CameraIcon} />Take a photo<//>
    <${FileButton} className="tile" onFile=${onFile}><${PictureIcon} />Choose a picture<//>
    ${hasLiveCamera() && html`<button class="button tile" onClick=${onLive}><${LiveIcon} />Live camera</button>`}
    ${children}
  </div>`;
}
