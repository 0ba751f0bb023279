// The photo with an outline and a name on every card; a tap finds the card under the finger.

import { ink, label } from "./cards.js";
import { hull, isInside } from "./geometry.js";
import { html, useEffect, useRef, useState } from "./html.js";

const TAG_HEIGHT = 20;
const TAG_STEPS = [0, 18, 36];
const REACH = 26;

/** The displayed width of an element in pixels. */
function useWidth(element) {
  const [width, setWidth] = useState(0);
  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => setWidth(entry.contentRect.width));
    observer.observe(element.current);
    return () => observer.disconnect();
  }, []);
  return width;
}

const tagWidth = (text) => 12 + 7.2 * text.replace("\uFE0E", "").length;

/**
 * Where each card's name goes, in displayed pixels: beyond its index, on the side the card points to, one step
 * further out where an earlier name is in the way.
 */
function tagPlaces(cards, textOf, scale, bounds) {
  const placed = [];
  const isFree = (x, y, wide) =>
    placed.every((tag) => Math.abs(tag.x - x) > (tag.wide + wide) / 2 || Math.abs(tag.y - y) > TAG_HEIGHT);
  for (const held of cards) {
    const wide = tagWidth(textOf(held));
    const anchor = held.spots[0] ?? held.quad[0];
    const beyondIndex = TAG_HEIGHT / 2 + 3 + (held.box ? (held.box[3] - held.box[1]) / 2 : 0) * scale;
    let spot = null;
    for (const step of TAG_STEPS) {
      const distance = beyondIndex + step;
      const x = anchor[0] * scale + held.up[0] * distance;
      const y = anchor[1] * scale + held.up[1] * distance;
      spot = {
        id: held.id,
        wide,
        x: Math.min(Math.max(x, wide / 2), bounds[0] - wide / 2),
        y: Math.min(Math.max(y, TAG_HEIGHT / 2), bounds[1] - TAG_HEIGHT / 2),
      };
      if (isFree(spot.x, spot.y, wide)) break;
    }
    placed.push(spot);
  }
  return new Map(placed.map((spot) => [spot.id, spot]));
}

/**
 * The cards that lie over a card: those whose index, which is in sight, is within its outline. Where two would lie
 * over each other neither does.
 */
function above(held, cards) {
  const isOver = (upper, lower) => upper !== lower && upper.spots.some((spot) => isInside(spot, lower.quad));
  return cards.filter((other) => isOver(other, held) && !isOver(held, other));
}

/** The card under a point of the picture: the one with the nearest index, else the last one that covers the point. */
function cardAt(point, cards, reach) {
  let nearest = null;
  let least = reach;
  for (const held of cards) {
    for (const [x, y] of held.spots) {
      const distance = Math.hypot(x - point[0], y - point[1]);
      if (distance < least) [nearest, least] = [held, distance];
    }
  }
  return nearest ?? cards.findLast((held) => isInside(point, held.quad)) ?? null;
}

/**
 * @param {object[]} groups melds to be outlined and named: {ids, name, kind}; then cards have no names of their own
 * @param {(held: object) => string | null} textOf what a card's name says instead
 */
export function Outlines({ url, size, cards, doubtful, onPick, groups = [], textOf: named = null }) {
  const frame = useRef(null);
  const width = useWidth(frame);
  const [isShown, setShown] = useState(true);
  const [wide, high] = size;
  const scale = width / wide;
  const seen = cards.filter((held) => held.quad);
  const textOf = named ?? ((held) => label(held.card) + (doubtful.has(held.id) ? "?" : ""));
  const tagged = seen.filter((held) => textOf(held) !== null);
  const tags = width ? tagPlaces(tagged, textOf, scale, [width, high * scale]) : new Map();
  const melds = groups
    .map((group) => ({ ...group, quads: seen.filter((held) => group.ids.includes(held.id)).map((held) => held.quad) }))
    .filter((group) => group.quads.length)
    .map((group) => ({ ...group, outline: hull(group.quads.flat()) }));

  const pick = (event) => {
    const box = frame.current.getBoundingClientRect();
    const held = cardAt([(event.clientX - box.left) / scale, (event.clientY - box.top) / scale], seen, REACH / scale);
    if (held) onPick(held.id);
  };
  const text = (points) => points.map(([x, y]) => `${x},${y}`).join(" ");
  const corners = (held) => text(held.quad);

  return html`<div class="picture" ref=${frame} style=${{ "--ratio": wide / high }} onClick=${pick}>
    ${
      isShown
        ? html`<img src=${url} alt="The photo that was read" onError=${() => setShown(false)} />`
        : html`<p class="unshown">This browser cannot show the picture.</p>`
    }
    <svg viewBox=${`0 0 ${wide} ${high}`} aria-hidden="true">
      ${seen.map(
        (held) =>
          html`<g key=${held.id} mask=${`url(#in-sight-${held.id})`}>
            <mask id=${`in-sight-${held.id}`} maskUnits="userSpaceOnUse" x="0" y="0" width=${wide} height=${high}>
              <rect width=${wide} height=${high} fill="#fff" />
              ${above(held, seen).map((upper) => html`<polygon key=${upper.id} points=${corners(upper)} fill="#000" />`)}
            </mask>
            <polygon class="line under" points=${corners(held)} />
            <polygon class=${`line ${doubtful.has(held.id) ? "doubtful" : "sure"}`} points=${corners(held)} />
          </g>`,
      )}
      ${melds.map(
        ({ outline, kind }, place) =>
          html`<g key=${place}>
            <polygon class="line under" points=${text(outline)} />
            <polygon class=${`line meld ${kind}`} points=${text(outline)} />
          </g>`,
      )}
    </svg>
    ${melds.map(({ outline, name, kind }, place) => {
      const [x, y] = outline.reduce((top, point) => (point[1] < top[1] ? point : top));
      const spot = {
        left: `clamp(4rem, ${x * scale}px, calc(100% - 4rem))`,
        top: `clamp(0.8rem, ${y * scale}px, calc(100% - 0.8rem))`,
      };
      return html`<span key=${`meld ${place}`} class=${`tag meld ${kind}`} aria-hidden="true" style=${spot}>${name}</span>`;
    })}
    ${tagged.map((held) => {
      const tag = tags.get(held.id);
      if (!tag) return null;
      const kind = `tag ${ink(held.card)} ${doubtful.has(held.id) ? "doubtful" : ""}`;
      const spot = { left: `${tag.x}px`, top: `${tag.y}px` };
      return html`<span key=${held.id} class=${kind} aria-hidden="true" style=${spot}>${textOf(held)}</span>`;
    })}
  </div>`;
}

/** A square cut of the photo around one card's index, turned upright. */
export function Cut({ url, size, held, side = 76 }) {
  if (!url || !held.box) return null;
  const [x0, y0, x1, y1] = held.box;
  const scale = side / (2.4 * Math.max(x1 - x0, y1 - y0));
  const [x, y] = [((x0 + x1) / 2) * scale, ((y0 + y1) / 2) * scale];
  const [right, down] = held.up;
  const style = {
    width: `${size[0] * scale}px`,
    height: `${size[1] * scale}px`,
    left: `${side / 2 - x}px`,
    top: `${side / 2 - y}px`,
    transformOrigin: `${x}px ${y}px`,
    transform: `rotate(${-Math.atan2(right, -down)}rad)`,
  };
  return html`<span class="cut" style=${{ width: `${side}px`, height: `${side}px` }}>
    <img src=${url} alt="" style=${style} />
  </span>`;
}
