// Several runs beside each other: the table with its verdicts, and the same charts as a report.
import { connected, el, finding, follow, get, mark, rarely, runLink, show } from "./parts.js";
import { draw, give, sections, watchAxis } from "./sections.js";
import { query, read, write } from "./state.js";

const AXES = [["", "chosen for you"], ["samples", "equal samples"], ["steps", "equal steps"], ["seconds", "equal seconds"], ["energy", "equal joules"], ["end", "as each ended"]];
const body = el("div", { id: "compared" });
const charts = el("div", { id: "charts" });
const judged = el("section", { id: "judged" });
let live = null;

async function load(first) {
  const now = read();
  const found = await get("/api/compare?" + query({ runs: now.runs, by: now.by, baseline: now.baseline, axis: now.budget }), { quiet: !first && !body.isConnected });
  if (!found) return;
  if (!body.isConnected) show(el("h1", {}, "Comparison"), body, charts, judged);
  body.replaceChildren(chosen(found), controls(found, now), ...table(found), ...found.verdicts.map(verdict), ...notes(found));
  judged.replaceChildren(...shown(found));
  await give(found);
  const ids = JSON.stringify(found.sections.map((section) => [section.id, section.axes, section.charts.map((one) => one.id)]));
  if (charts.dataset.ids !== ids) {
    charts.dataset.ids = ids;
    charts.replaceChildren(...sections(found, { grid: ["progress", "spread", "machine"] }));
    draw(charts);
  } else for (const name of Object.keys(found.data)) window.assayCharts.update(name);
  if (found.live && !live) live = follow("/api/changes", rarely(() => load(false), 2000), "live");
  if (!found.live && live) { live.close(); live = null; connected(null); }
}

function chosen(found) {
  const names = found.runs.map((run) => run.folder);
  const twice = (run) => found.runs.filter((other) => other.name === run.name).length > 1;
  return el("ul", { class: "chips", "aria-label": "runs" }, found.runs.map((run) => el("li", {}, runLink(run.folder, twice(run) ? `${run.name} ${run.folder.slice(-6)}` : run.name), " ", run.status === "completed" ? "" : mark(run.status), " ",
    names.length > 2 ? el("button", { type: "button", "aria-label": `leave out ${run.name}`, on: { click: () => { write({ runs: names.filter((name) => name !== run.folder).join(",") }, { remember: true }); load(false); } } }, "×") : null)));
}

function controls(found, now) {
  const baseline = el("select", { id: "baseline", on: { change: () => { write({ baseline: baseline.value }, { remember: true }); load(false); } } }, found.groups.map((name) => el("option", { value: name, selected: name === found.baseline }, name)));
  const budget = el("select", { id: "budget", on: { change: () => { write({ budget: budget.value }, { remember: true }); load(false); } } }, AXES.map(([name, text]) => el("option", { value: name, selected: name === (now.budget || "") }, text)));
  const by = el("input", { id: "by", type: "text", placeholder: found.by.join(",") || "batch_size,lr", value: now.by || "", on: { change: () => { write({ by: by.value }, { remember: true }); load(false); } } });
  return el("div", { class: "controls" },
    found.groups.length ? el("label", { for: "baseline" }, "against", baseline) : null,
    el("label", { for: "budget" }, "results at", budget), el("label", { for: "by" }, "group by", by));
}

function table(found) {
  if (!found.table) return [el("p", { class: "soft" }, found.why_not || "no run of these has ended: their curves are below")];
  const heads = found.table.heads.map((head) => el("th", { scope: "col", class: head.number ? "number" : "" }, head.text));
  const rows = found.table.rows.map((cells) => el("tr", {}, cells.map((cell, at) => el(at ? "td" : "th", { class: `${cell.number ? "number" : ""} ${cell.best ? "best" : ""}`, scope: at ? null : "row" },
    cell.text + (cell.best ? " ★" : ""), cell.mark ? [" ", mark(cell.mark)] : null, cell.interval ? el("span", { class: "interval" }, cell.interval) : null))));
  return [el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "comparison table" }, el("table", { id: "table" }, el("thead", {}, el("tr", {}, heads)), el("tbody", {}, rows))), el("p", { class: "soft" }, found.table.note)];
}

function verdict(block) { return el("div", {}, el("h3", {}, block.title), el("ul", {}, block.lines.map((line) => el("li", {}, line)))); }
function notes(found) { return found.notes.length ? [el("ul", { class: "soft small" }, found.notes.map((note) => el("li", {}, note)))] : []; }

// what is said of several runs in the same words is said once
function shown(found) {
  const alike = new Map();
  for (const one of found.findings) {
    const key = [one.code, one.severity, one.message].join("\n"), had = alike.get(key);
    if (had) had.evidence = [...had.evidence, ...(one.evidence || [])]; else alike.set(key, { ...one, evidence: [...(one.evidence || [])] });
  }
  return alike.size ? [el("h2", {}, "Findings"), ...[...alike.values()].map(finding)] : [];
}

watchAxis(() => {});
addEventListener("popstate", () => load(false));
load(true);
