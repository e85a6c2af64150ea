// Columns of a run become curves: smoothed, or as the mean of repeats with the range between them.

// An exponential moving average that does not begin at zero; `strength` from 0 to 0.99.
export function smoothed(ys, strength) {
  let last = 0, weight = 0;
  return ys.map((value) => {
    if (value === null) return null;
    last = strength * last + (1 - strength) * value;
    weight = strength * weight + (1 - strength);
    return last / weight;
  });
}

// The points of each run that know both the axis and the figure, in order: Map of run to {group, xs, ys}.
export function byRun(columns, axis, key, scale = 1) {
  const found = new Map(), xs = columns[axis] || [], ys = columns[key] || [];
  for (let at = 0; at < xs.length; at++) {
    const x = xs[at], y = ys[at];
    if (x === null || x === undefined || y === null || y === undefined) continue;
    const run = columns.run[at];
    let one = found.get(run);
    if (!one) found.set(run, one = { group: columns.group ? columns.group[at] : run, xs: [], ys: [], sorted: true });
    if (one.xs.length && x < one.xs[one.xs.length - 1]) one.sorted = false;
    one.xs.push(x);
    one.ys.push(y * scale);
  }
  for (const one of found.values()) if (!one.sorted) order(one);
  return found;
}

function order(one) {
  const places = one.xs.map((x, at) => at).sort((a, b) => one.xs[a] - one.xs[b]);
  [one.xs, one.ys] = [places.map((at) => one.xs[at]), places.map((at) => one.ys[at])];
}

const MOST = 500;

// The mean of several curves where all of them have come so far, and their lowest and highest.
export function mean(curves) {
  const begin = Math.max(...curves.map((one) => one.xs[0])), end = Math.min(...curves.map((one) => one.xs[one.xs.length - 1]));
  let xs = [...new Set(curves.flatMap((one) => one.xs))].filter((x) => x >= begin && x <= end).sort((a, b) => a - b);
  if (xs.length > MOST) xs = Array.from({ length: MOST }, (_, at) => xs[Math.round(at * (xs.length - 1) / (MOST - 1))]);
  const columns = curves.map((one) => between(one, xs));
  const over = (work) => xs.map((_, at) => work(columns.map((column) => column[at])));
  return { xs, ys: over((values) => values.reduce((sum, value) => sum + value, 0) / values.length), low: over((values) => Math.min(...values)), high: over((values) => Math.max(...values)) };
}

function between(one, places) {
  let at = 0;
  return places.map((x) => {
    while (at < one.xs.length - 2 && one.xs[at + 1] < x) at += 1;
    const [left, right] = [one.xs[at], one.xs[Math.min(at + 1, one.xs.length - 1)]];
    if (right <= left || x <= left) return one.ys[x >= right ? Math.min(at + 1, one.xs.length - 1) : at];
    const share = Math.min(1, (x - left) / (right - left));
    return one.ys[at] + share * (one.ys[Math.min(at + 1, one.xs.length - 1)] - one.ys[at]);
  });
}
