// The live camera, where the browser allows one: a picture at the camera's full resolution at a tap.

import { html, useEffect, useRef, useState } from "./html.js";
import { CloseIcon, TorchIcon } from "./icons.js";

const WANTED = { video: { facingMode: "environment", width: { ideal: 4096 }, height: { ideal: 3072 } }, audio: false };
const PATIENCE_MS = 15_000;

const REFUSALS = {
  NotAllowedError: "The camera was not allowed. Allow it in the browser's settings, or take a photo instead.",
  NotFoundError: "No camera was found. Choose a picture instead.",
  NotReadableError: "Another program holds the camera. Close it, or take a photo instead.",
};

/** The camera's stream; rejects also where the browser never answers. */
function openCamera() {
  const silence = new Promise((_, reject) =>
    setTimeout(() => reject(new DOMException("", "TimeoutError")), PATIENCE_MS),
  );
  return Promise.race([navigator.mediaDevices.getUserMedia(WANTED), silence]);
}

async function snapshot(video, track) {
  if ("ImageCapture" in window) {
    try {
      return await new ImageCapture(track).takePhoto();
    } catch {
      // Some cameras give frames but no photos.
    }
  }
  const canvas = document.createElement("canvas");
  canvas.width = video.videoWidth;
  canvas.height = video.videoHeight;
  canvas.getContext("2d").drawImage(video, 0, 0);
  return new Promise((resolve) => canvas.toBlob(resolve, "image/jpeg", 0.95));
}

export function Camera({ onPhoto, onClose, onRefused }) {
  const video = useRef(null);
  const [track, setTrack] = useState(null);
  const [isLit, setLit] = useState(false);
  const [isTaking, setTaking] = useState(false);

  useEffect(() => {
    let stream = null;
    let isGone = false;
    const stop = () => stream?.getTracks().forEach((each) => each.stop());
    // Phones take the camera away from a page in the background.
    const leave = () => document.visibilityState === "hidden" && onClose();
    openCamera().then(
      (opened) => {
        stream = opened;
        if (isGone) return stop();
        video.current.srcObject = stream;
        setTrack(stream.getVideoTracks()[0]);
      },
      (error) => isGone || onRefused(REFUSALS[error.name] ?? "The camera did not open. Take a photo instead."),
    );
    document.addEventListener("visibilitychange", leave);
    return () => {
      isGone = true;
      document.removeEventListener("visibilitychange", leave);
      stop();
    };
  }, []);

  const light = () => {
    track.applyConstraints({ advanced: [{ torch: !isLit }] }).then(
      () => setLit(!isLit),
      () => {},
    );
  };
  const take = async () => {
    setTaking(true);
    const photo = await snapshot(video.current, track);
    if (photo) onPhoto(photo);
    else setTaking(false);
  };

  return html`<main class="camera">
    <h1 class="unseen" tabindex="-1">Live camera</h1>
    <video ref=${video} playsinline muted autoplay></video>
    ${!track && html`<p role="status">Opening the camera…</p>`}
    <div class="controls">
      <button class="round" aria-label="Close the camera" onClick=${onClose}><${CloseIcon} /></button>
      <button class="shutter" aria-label="Take the photo" disabled=${!track || isTaking} onClick=${take}></button>
      ${
        track?.getCapabilities?.().torch
          ? html`<button class="round" aria-label="Light" aria-pressed=${isLit} onClick=${light}>
              <${TorchIcon} />
            </button>`
          : html`<span class="round none"></span>`
      }
    </div>
  </main>`;
}
