// The live picture: watches for a scene that lies still and is new, and draws what was read over it.

import { frameOf, greyEye, openCamera, photoOf } from "./camera.js";
import { html, useEffect, useRef, useState } from "./html.js";
import { TorchIcon } from "./icons.js";
import { APART_MS, FRAMES } from "./looks.js";
import { drawOutlines } from "./overlay.js";
import { forget, newWatch, seeFrame, take } from "./stillness.js";

const EVERY_MS = 100;
const NOBODY = new Set();

/**
 * @param {object} hand whose outlines lie over the picture, or null
 * @param {(frames: Blob[]) => void} onStill told once of every scene that lies still and is new
 * @param {() => void} onMoved told once when the scene that was taken is no longer there
 * @param {(camera: object) => void} onCamera given {photo(), rearm()} once the camera is open
 * @param {(sentence: string) => void} onRefused told why there is no camera
 */
export function Viewfinder({ hand, doubtful = NOBODY, onStill, onMoved, onCamera, onRefused }) {
  const video = useRef(null);
  const canvas = useRef(null);
  const [track, setTrack] = useState(null);
  const [isLit, setLit] = useState(false);
  const told = useRef({});
  told.current = { onStill, onMoved };

  useEffect(() => {
    let stream = null;
    let timer = null;
    let isGone = false;
    let isOpening = false;
    let watch = newWatch();
    const eye = greyEye();

    const stop = () => {
      stream?.getTracks().forEach((each) => each.stop());
      stream = null;
      setTrack(null);
    };
    const look = async () => {
      if (!stream || video.current.readyState < HTMLMediaElement.HAVE_CURRENT_DATA) return;
      const wasNew = watch.isNew;
      watch = seeFrame(watch, eye(video.current), performance.now());
      if (watch.isNew && !wasNew) told.current.onMoved?.();
      if (!watch.isStill || !watch.isNew) return;
      watch = take(watch);
      const frames = [];
      for (let number = 0; number < FRAMES && !isGone; number += 1) {
        if (number) await new Promise((resolve) => setTimeout(resolve, APART_MS));
        const frame = isGone ? null : await frameOf(video.current);
        if (frame) frames.push(frame);
      }
      // What was taken away meanwhile is not told of.
      if (frames.length && !isGone && !watch.isNew) told.current.onStill?.(frames);
    };
    const start = async () => {
      if (stream || isOpening) return;
      isOpening = true;
      try {
        const opened = await openCamera();
        if (isGone) return opened.getTracks().forEach((each) => each.stop());
        stream = opened;
        watch = newWatch();
        video.current.srcObject = stream;
        const [camera] = stream.getVideoTracks();
        setTrack(camera);
        onCamera?.({
          photo: () => photoOf(video.current, camera),
          rearm: () => {
            watch = forget(watch);
          },
        });
      } catch (error) {
        if (!isGone) onRefused(error.message);
      } finally {
        isOpening = false;
      }
      return undefined;
    };
    // Phones take the camera away from a page in the background.
    const turned = () => (document.visibilityState === "hidden" ? stop() : start());
    start();
    timer = setInterval(look, EVERY_MS);
    document.addEventListener("visibilitychange", turned);
    window.addEventListener("pagehide", stop);
    return () => {
      isGone = true;
      clearInterval(timer);
      document.removeEventListener("visibilitychange", turned);
      window.removeEventListener("pagehide", stop);
      stop();
    };
  }, []);

  useEffect(() => {
    const draw = () => drawOutlines(canvas.current, hand, doubtful);
    draw();
    const observer = new ResizeObserver(draw);
    observer.observe(canvas.current);
    return () => observer.disconnect();
  }, [hand, doubtful]);

  const light = () => {
    track.applyConstraints({ advanced: [{ torch: !isLit }] }).then(
      () => setLit(!isLit),
      () => {},
    );
  };

  return html`<div class="viewfinder">
    <video ref=${video} playsinline muted autoplay aria-label="What the camera sees"></video>
    <canvas ref=${canvas} aria-hidden="true"></canvas>
    ${!track && html`<p role="status">Opening the camera…</p>`}
    ${
      track?.getCapabilities?.().torch &&
      html`<button class="round torch" aria-label="Light" aria-pressed=${isLit} onClick=${light}><${TorchIcon} /></button>`
    }
  </div>`;
}
