// Frames of one still scene: how many are taken, and how they travel together.

/** How many frames are read together. */
export const FRAMES = 3;
/** How long between two of them, in milliseconds: the camera's noise and a hand's tremor are then others. */
export const APART_MS = 120;

/**
 * Pictures as one body: one after the other, each behind its length in bytes as four bytes, the highest first.
 * @param {Blob[]} frames
 */
export const joinFrames = (frames) =>
  new Blob(frames.flatMap((frame) => [lengthOf(frame.size), frame]), { type: "application/octet-stream" });

function lengthOf(size) {
  const bytes = new DataView(new ArrayBuffer(4));
  bytes.setUint32(0, size);
  return bytes.buffer;
}
