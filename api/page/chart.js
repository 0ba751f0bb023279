// The geometry of the score chart: running totals over the rounds, one line for each player.

const MARGIN = { left: 40, right: 64, top: 14, bottom: 28 };
const NAME_HEIGHT = 15;
const MOST_STEPS = 5;

/** A step of 1, 2 or 5 times a power of ten that divides a range into at most five. */
export function step(range) {
  const power = 10 ** Math.floor(Math.log10(range / MOST_STEPS));
  return [1, 2, 5, 10].map((factor) => factor * power).find((size) => range / size <= MOST_STEPS);
}

/** Heights moved apart so that names of a given height do not lie over each other; order is kept. */
export function apart(heights, gap, lowest) {
  const order = heights.map((height, place) => ({ height, place })).sort((one, other) => one.height - other.height);
  let last = -Infinity;
  for (const each of order) {
    each.height = Math.max(each.height, last + gap);
    last = each.height;
  }
  let limit = lowest;
  for (const each of order.reverse()) {
    each.height = Math.min(each.height, limit);
    limit = each.height - gap;
  }
  const moved = [];
  for (const each of order) moved[each.place] = each.height;
  return moved;
}

/**
 * Lines, ticks and names of a chart.
 * @param {{name: string, totals: number[]}[]} players each with the totals after round 0, 1, 2 and so on
 * @param {[number, number]} size of the chart in its own units
 */
export function chartOf(players, [wide, high]) {
  const all = players.flatMap((player) => player.totals);
  const [least, most] = [Math.min(0, ...all), Math.max(10, ...all)];
  const size = step(most - least);
  const [low, top] = [Math.floor(least / size) * size, Math.ceil(most / size) * size];
  const rounds = Math.max(1, ...players.map((player) => player.totals.length - 1));
  const x = (round) => MARGIN.left + ((wide - MARGIN.left - MARGIN.right) * round) / rounds;
  const y = (points) => high - MARGIN.bottom - ((high - MARGIN.top - MARGIN.bottom) * (points - low)) / (top - low);
  const ends = players.map((player) => y(player.totals.at(-1)));
  const names = apart(ends, NAME_HEIGHT, high - MARGIN.bottom);
  return {
    lines: players.map((player, place) => ({
      name: player.name,
      points: player.totals.map((total, round) => [x(round), y(total)]),
      label: [x(player.totals.length - 1) + 8, names[place]],
    })),
    levels: Array.from({ length: Math.round((top - low) / size) + 1 }, (_, place) => {
      const points = low + place * size;
      return { points, y: y(points) };
    }),
    rounds: Array.from({ length: rounds + 1 }, (_, round) => ({ round, x: x(round) })).slice(1),
    left: MARGIN.left,
    right: wide - MARGIN.right,
  };
}
