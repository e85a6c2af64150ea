// How far each setting is from the baseline, with its interval: one panel for each metric. Filled: significant.
import { counted, el, number } from "./parts.js";

const TALL = 36;

export function forests(all, curves) {
  const drawn = (some) => el("div", { class: "grid wide" }, some.map((one) => forest(one, curves)));
  const first = all.filter((one) => one.told), more = all.filter((one) => !one.told);  // says no more than one of the others
  const summary = first.length ? counted(more.length, "more metric") : `${counted(more.length, "metric")} against ${more.length && more[0].baseline}`;
  return [first.length ? drawn(first) : null, more.length ? el("details", { data: { key: "more" } }, el("summary", {}, summary), drawn(more)) : null];
}

function forest(one, curves) {
  const ends = one.rows.flatMap((row) => [row.value, row.low ?? row.value, row.high ?? row.value]).filter((value) => value !== null);
  let low = Math.min(0, ...ends), high = Math.max(0, ...ends);
  const room = (high - low) * 0.08 || 1;
  [low, high] = [low - room, high + room];
  const x = (value) => `${100 * (value - low) / (high - low)}%`, unit = one.unit ? ` (${one.unit})` : "";
  return el("figure", { class: "charted forest", data: { key: one.metric } },
    el("figcaption", {}, el("span", { class: "name" }, `${one.metric[0].toUpperCase()}${one.metric.slice(1)} against ${one.baseline}${unit}`),
      one.better ? el("span", { class: "soft" }, one.better > 0 ? "right is better →" : "← left is better") : null),
    el("table", {}, el("tbody", {}, one.rows.map((row) => drawn(row, x, curves)), el("tr", { class: "axis", "aria-hidden": "true" }, el("td", {}), axis(low, high, x), el("td", {})))),
    el("details", { class: "small" }, el("summary", {}, "In words"), el("ul", {}, one.rows.map((row) => el("li", {}, curves.swatch(row.group), el("strong", {}, `${row.group}: `), row.text)))));
}

function drawn(row, x, curves) {
  const stroke = `var(--c${curves.colour(row.group) % 9})`, y = TALL / 2, known = row.low !== null && row.high !== null;
  return el("tr", {}, el("th", { scope: "row" }, curves.swatch(row.group), row.group),
    el("td", { class: "plot" }, el("svg", { "aria-hidden": "true" }, el("title", {}, row.text), el("line", { x1: x(0), x2: x(0), y1: 0, y2: TALL, class: "zero" }),
      known ? el("line", { x1: x(row.low), x2: x(row.high), y1: y, y2: y, stroke, "stroke-width": 3 }) : null,
      el("circle", { cx: x(row.value), cy: y, r: 6, stroke, "stroke-width": 2, fill: row.different ? stroke : "var(--paper)" }))),
    el("td", { class: row.different ? "number sure" : "number" }, signed(row.value), known ? el("span", { class: "interval" }, `${signed(row.low)} to ${signed(row.high)}`) : null));
}

function axis(low, high, x) {
  return el("td", { class: "plot" }, el("svg", {}, el("line", { x1: 0, x2: "100%", y1: 1, y2: 1, class: "tick" }),
    steps(low, high).map((value) => el("g", {}, el("line", { x1: x(value), x2: x(value), y1: 1, y2: 5, class: "tick" }), el("text", { x: x(value), y: 18, "text-anchor": "middle" }, signed(value))))));
}

// three digits say how far apart they are
function signed(value) { return `${value > 0 ? "+" : ""}${number(Number(value.toPrecision(3)))}`.replace("-", "−"); }

function steps(low, high) {
  const rough = (high - low) / 4, size = 10 ** Math.floor(Math.log10(rough)), step = [1, 2, 5, 10].map((one) => one * size).find((one) => one >= rough);
  const found = [];
  for (let value = Math.ceil(low / step) * step; value <= high; value += step) found.push(Math.abs(value) < step / 1e6 ? 0 : Number(value.toPrecision(6)));
  return found;
}
