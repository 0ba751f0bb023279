// The camera, where the browser allows one: opening it, its frames, its photos.

import { HEIGHT, WIDTH, greyOf } from "./stillness.js";

const WANTED = { video: { facingMode: "environment", width: { ideal: 4096 }, height: { ideal: 3072 } }, audio: false };
const PATIENCE_MS = 15_000;
const FRAME_QUALITY = 0.92;

const REFUSALS = {
  NotAllowedError: "The camera was not allowed. Allow it in the browser's settings, or take a photo instead.",
  NotFoundError: "No camera was found. Choose a picture instead.",
  NotReadableError: "Another program holds the camera. Close it, or take a photo instead.",
};

/** Whether this page may ask for the camera: browsers allow it on HTTPS and on the own computer alone. */
export const hasLiveCamera = () => Boolean(navigator.mediaDevices?.getUserMedia);

/** The camera's stream; rejects with a sentence, also where the browser never answers. */
export async function openCamera() {
  const silence = new Promise((_, reject) =>
    setTimeout(() => reject(new DOMException("", "TimeoutError")), PATIENCE_MS),
  );
  try {
    return await Promise.race([navigator.mediaDevices.getUserMedia(WANTED), silence]);
  } catch (error) {
    throw new Error(REFUSALS[error.name] ?? "The camera did not open. Take a photo instead.");
  }
}

/** What the video shows now, as a JPEG file of its full size. */
export function frameOf(video) {
  const canvas = document.createElement("canvas");
  canvas.width = video.videoWidth;
  canvas.height = video.videoHeight;
  canvas.getContext("2d").drawImage(video, 0, 0);
  return new Promise((resolve) => canvas.toBlob(resolve, "image/jpeg", FRAME_QUALITY));
}

/** A photo at the camera's full resolution, or a frame where the camera gives no photos. */
export async function photoOf(video, track) {
  if ("ImageCapture" in window) {
    try {
      return await new ImageCapture(track).takePhoto();
    } catch {
      // Some cameras give frames but no photos.
    }
  }
  return frameOf(video);
}

/** What makes little grey pictures of a video. */
export function greyEye() {
  const canvas = document.createElement("canvas");
  canvas.width = WIDTH;
  canvas.height = HEIGHT;
  const pen = canvas.getContext("2d", { willReadFrequently: true });
  return (video) => {
    pen.drawImage(video, 0, 0, WIDTH, HEIGHT);
    return greyOf(pen.getImageData(0, 0, WIDTH, HEIGHT).data);
  };
}
