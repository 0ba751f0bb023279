// Points and outlines: a picture within the box that shows it whole, with bars at two sides; what lies around cards.

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

/** Whether a point lies within an outline. */
export const isInside = ([x, y], outline) =>
  outline.reduce((inside, [x1, y1], place) => {
    const [x0, y0] = outline[(place + outline.length - 1) % outline.length];
    return y0 > y !== y1 > y && x < ((x1 - x0) * (y - y0)) / (y1 - y0) + x0 ? !inside : inside;
  }, false);

/** The convex outline around some points. */
export function hull(points) {
  const sorted = [...points].sort(([x0, y0], [x1, y1]) => x0 - x1 || y0 - y1);
  const turnsLeft = ([x0, y0], [x1, y1], [x2, y2]) => (x1 - x0) * (y2 - y0) - (y1 - y0) * (x2 - x0) > 0;
  const chain = (ordered) => {
    const side = [];
    for (const point of ordered) {
      while (side.length > 1 && !turnsLeft(side.at(-2), side.at(-1), point)) side.pop();
      side.push(point);
    }
    return side.slice(0, -1);
  };
  return [...chain(sorted), ...chain(sorted.reverse())];
}
