// Sections of charts, from the descriptions that reports use too.
import { el } from "./parts.js";
import { read, write } from "./state.js";

window.ASSAY = { data: {}, charts: {}, embed: { tooltip: { theme: "custom" } } };

// the drawing part is large: what a page says in words does not wait for it
function script(name) {
  return new Promise((done, failed) => document.head.append(el("script", { src: `/static/${name}`, on: { load: done, error: failed } })));
}
const ready = script("vega.js").then(() => script("charts.js"));

export async function give(found) {
  await ready;
  window.ASSAY.charts = found.charts;
  for (const name of Object.keys(window.ASSAY.data)) if (!(name in found.data)) window.assayCharts.replace(name, {});
  for (const [name, columns] of Object.entries(found.data)) window.assayCharts.replace(name, columns);
}

export function sections(found, { grid = [] } = {}) {
  const axis = read().axis;
  return found.sections.map((section) => {
    const axes = section.axes || [];
    const chosen = axes.some(([name]) => name === axis) ? axis : axes.length ? axes[0][0] : null;
    if (chosen) document.documentElement.dataset.axis = chosen;
    const buttons = axes.map(([name, text]) => el("button", { type: "button", data: { axis: name }, "aria-pressed": String(name === chosen) }, text));
    const figures = section.charts.map((one) => el("figure", {},
      el("div", { class: "chart", role: "img", "aria-label": one.caption, data: { chart: one.id, ...(one.follows_axis ? { followsAxis: "" } : {}), ...(one.run ? { run: one.run } : {}) } }),
      el("figcaption", {}, one.caption)));
    const runs = section.runs && section.runs.length > 1 ? el("p", {}, el("label", {}, "run ", el("select", { "data-chooses-run": true }, section.runs.map((name) => el("option", {}, name))))) : null;
    return el("section", { id: section.id, "aria-labelledby": section.id + "-title" },
      el("h2", { id: section.id + "-title" }, section.title),
      buttons.length > 1 ? el("div", { class: "switch", role: "group", "aria-label": "what the curves are drawn against" }, buttons) : null,
      runs, (section.says || []).map((text) => el("p", {}, text)),
      el("div", { class: grid.includes(section.id) ? "grid" : "" }, figures));
  });
}

export function watchAxis(changed) {
  document.addEventListener("click", (event) => {
    const button = event.target.closest("button[data-axis]");
    if (button) { write({ axis: button.dataset.axis }); changed(button.dataset.axis); }
  });
}

export function draw(root) { window.assayCharts.watch(root); }
