// A small curve, as wide as a cell.
import { el } from "./parts.js";

export function spark(values, { width = 96, height = 22 } = {}) {
  if (!values || values.length < 2) return null;
  const low = Math.min(...values), high = Math.max(...values), span = high - low || 1;
  const points = values.map((value, at) => `${(1 + at * (width - 2) / (values.length - 1)).toFixed(1)} ${(height - 2 - (value - low) / span * (height - 4)).toFixed(1)}`);
  return el("svg", { class: "spark", viewBox: `0 0 ${width} ${height}`, width, height, "aria-hidden": "true" }, el("path", { d: "M" + points.join("L"), fill: "none", stroke: "currentColor", "stroke-width": 1.5 }));
}
