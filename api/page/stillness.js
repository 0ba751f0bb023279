// Whether what the camera sees lies still, is sharp and is new, told from little grey pictures of its frames.

export const WIDTH = 160;
export const HEIGHT = 120;

const BLOCK = 20;
const STILL_MS = 600;
// Mean differences of the block that changed most, of 255: below the one it is noise, above the other something moved.
const MOST_NOISE = 7;
const LEAST_CHANGE = 14;
// A lens that still hunts for its focus is not yet as sharp as it has just been.
const LEAST_SHARE_OF_BEST = 0.85;

/** The luma of RGBA pixels. */
export function greyOf(rgba) {
  const grey = new Uint8Array(rgba.length / 4);
  for (let place = 0; place < grey.length; place += 1) {
    const from = 4 * place;
    grey[place] = (77 * rgba[from] + 150 * rgba[from + 1] + 29 * rgba[from + 2]) >> 8;
  }
  return grey;
}

/** How much two grey pictures differ where they differ most: the mean difference within a block of 20 by 20. */
export function difference(before, after) {
  const across = WIDTH / BLOCK;
  const sums = new Float64Array(across * (HEIGHT / BLOCK));
  for (let y = 0, place = 0; y < HEIGHT; y += 1) {
    const row = across * Math.floor(y / BLOCK);
    for (let x = 0; x < WIDTH; x += 1, place += 1) {
      sums[row + Math.floor(x / BLOCK)] += Math.abs(before[place] - after[place]);
    }
  }
  return Math.max(...sums) / BLOCK ** 2;
}

/** Variance of the Laplacian: higher where edges are crisp. */
export function sharpness(grey) {
  let sum = 0;
  let squares = 0;
  for (let y = 1; y < HEIGHT - 1; y += 1) {
    for (let place = y * WIDTH + 1; place < (y + 1) * WIDTH - 1; place += 1) {
      const edge = grey[place - 1] + grey[place + 1] + grey[place - WIDTH] + grey[place + WIDTH] - 4 * grey[place];
      sum += edge;
      squares += edge * edge;
    }
  }
  const count = (WIDTH - 2) * (HEIGHT - 2);
  return squares / count - (sum / count) ** 2;
}

/** A watch that has seen nothing yet. `taken` is the grey picture of the last scene that was read. */
export const newWatch = () => ({ last: null, stillSince: null, best: 0, taken: null, isStill: false, isNew: false });

/**
 * The watch after one more frame.
 * `isStill`: nothing has moved for a while and the focus holds; `isNew`: the scene is not the one that was read last.
 * @param {Uint8Array} grey the frame, 160 by 120
 * @param {number} at when it was seen, in milliseconds
 */
export function seeFrame(watch, grey, at) {
  const rests = watch.last !== null && difference(watch.last, grey) < MOST_NOISE;
  const crispness = sharpness(grey);
  const best = rests ? Math.max(watch.best, crispness) : crispness;
  const stillSince = rests ? watch.stillSince : at;
  return {
    ...watch,
    last: grey,
    stillSince,
    best,
    isStill: rests && at - stillSince >= STILL_MS && crispness >= LEAST_SHARE_OF_BEST * best,
    isNew: watch.taken === null || difference(watch.taken, grey) >= LEAST_CHANGE,
  };
}

/** The watch once the scene that it sees is being read: it is new no more. */
export const take = (watch) => ({ ...watch, taken: watch.last, isNew: false });

/** The watch that takes whatever it sees for new. */
export const forget = (watch) => ({ ...watch, taken: null, isNew: true });
