// How far each setting is from the baseline, with its interval: one panel for each metric. Filled: significant.
import { el, number } from "./parts.js";

const WIDE = 520, LABEL = 150, ROW = 26, RIGHT = 12;

export function forests(all, curves) {
  const drawn = (some) => el("div", { class: "grid" }, some.map((one) => forest(one, curves)));
  const more = all.filter((one) => !one.told);  // says no more than one of the others
  return [drawn(all.filter((one) => one.told)), more.length ? el("details", { data: { key: "more" } }, el("summary", {}, `${more.length} more metrics`), drawn(more)) : null];
}

function forest(one, curves) {
  const ends = one.rows.flatMap((row) => [row.value, row.low ?? row.value, row.high ?? row.value]).filter((value) => value !== null);
  let low = Math.min(0, ...ends), high = Math.max(0, ...ends);
  const room = (high - low) * 0.08 || 1;
  [low, high] = [low - room, high + room];
  const x = (value) => LABEL + (value - low) / (high - low) * (WIDE - LABEL - RIGHT), tall = ROW * one.rows.length + 34;
  const rows = one.rows.map((row, at) => drawn(row, x, ROW * at + 18, curves));
  const ticks = steps(low, high).map((value) => el("g", {}, el("line", { x1: x(value), x2: x(value), y1: tall - 26, y2: tall - 22, class: "tick" }), el("text", { x: x(value), y: tall - 9, "text-anchor": "middle", class: "axis" }, `${value > 0 ? "+" : ""}${number(value)}`)));
  const better = one.better ? `, ${one.better > 0 ? "right" : "left"} is better` : "";
  const unit = one.unit ? ` (${one.unit}${better})` : better ? ` (${better.slice(2)})` : "";
  const words = `${one.metric} against ${one.baseline}: ` + one.rows.map((row) => `${row.group}: ${row.text}`).join(". ");
  return el("figure", { class: "charted forest", data: { key: one.metric } },
    el("figcaption", {}, el("span", { class: "name" }, `${one.metric[0].toUpperCase()}${one.metric.slice(1)} against ${one.baseline}${unit}`)),
    el("svg", { viewBox: `0 0 ${WIDE} ${tall}`, role: "img", "aria-label": words }, el("line", { x1: x(0), x2: x(0), y1: 4, y2: tall - 26, class: "zero" }), el("line", { x1: LABEL, x2: WIDE - RIGHT, y1: tall - 26, y2: tall - 26, class: "tick" }), ticks, rows),
    el("ul", { class: "small" }, one.rows.map((row) => el("li", {}, curves.swatch(row.group), el("strong", {}, `${row.group}: `), row.text))));
}

function drawn(row, x, y, curves) {
  const stroke = `var(--c${curves.colour(row.group) % 9})`, label = row.group.length > 22 ? row.group.slice(0, 21) + "…" : row.group;
  const bar = row.low === null || row.high === null ? null : el("line", { x1: x(row.low), x2: x(row.high), y1: y, y2: y, stroke, "stroke-width": 3 });
  return el("g", {}, el("title", {}, row.text), el("text", { x: LABEL - 10, y: y + 4, "text-anchor": "end" }, label), bar,
    el("circle", { cx: x(row.value), cy: y, r: 6, stroke, "stroke-width": 2, fill: row.different ? stroke : "var(--paper)" }));
}

function steps(low, high) {
  const rough = (high - low) / 4, size = 10 ** Math.floor(Math.log10(rough)), step = [1, 2, 5, 10].map((one) => one * size).find((one) => one >= rough);
  const found = [];
  for (let value = Math.ceil(low / step) * step; value <= high; value += step) found.push(Math.abs(value) < step / 1e6 ? 0 : Number(value.toPrecision(6)));
  return found;
}
