// Where a picture lies within the box that shows it whole, with bars at two sides.

/**
 * How a picture of one size is shown in a box of another, whole and centred.
 * @returns {{scale: number, left: number, top: number}} pixels of the box for one of the picture, and its corner
 */
export function letterbox([wide, high], [boxWide, boxHigh]) {
  const scale = Math.min(boxWide / wide, boxHigh / high);
  return { scale, left: (boxWide - wide * scale) / 2, top: (boxHigh - high * scale) / 2 };
}

/** A point of the picture as a point of the box. */
export const toBox = ({ scale, left, top }, [x, y]) => [x * scale + left, y * scale + top];

/** A point of the box as a point of the picture; it may lie outside of it. */
export const toPicture = ({ scale, left, top }, [x, y]) => [(x - left) / scale, (y - top) / scale];
