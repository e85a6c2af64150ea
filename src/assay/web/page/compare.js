// Several runs beside each other: the answer in words, how far they differ, their curves, what was set differently.
import { alike, connected, el, follow, get, mark, patch, rarely, runLink, show, titled } from "./parts.js";
import { Curves } from "./curves.js";
import { Diff } from "./diff.js";
import { forests } from "./forest.js";
import { Serving } from "./serving.js";
import { share } from "./share.js";
import { query, read, write } from "./state.js";

const AXES = [["", "automatic"], ["samples", "equal samples"], ["steps", "equal steps"], ["seconds", "equal time"], ["energy", "equal energy"], ["end", "the end of each run"]];
const top = el("div", { id: "top" });
const differences = el("section", { id: "differences" });
const tables = el("section", { id: "tables" });
const judged = el("section", { id: "judged" });
const apart = el("section", { id: "apart" });
const curves = new Curves();
const serving = new Serving(curves);
const diff = new Diff();
let live = null;

async function load(first) {
  const now = read();
  const found = await get("/api/compare?" + query({ runs: now.runs, by: now.by, baseline: now.baseline, axis: now.budget }), { quiet: !first });
  if (!found) return;
  titled(found.groups.length > 1 ? `${found.groups.slice(0, 4).join(" or ")}` : "", "Comparison");
  curves.coloured(found.groups);
  patch(top, el("h1", {}, heading(found)), answer(found),
    el("div", { class: "row top" }, share(`assay report ${found.runs.slice(0, 60).map((run) => run.folder.slice(-6)).join(" ")} -o report.html`), chosen(found)), controls(found, now));
  patch(differences, found.forest.length ? [el("h2", {}, "Differences"), el("p", { class: "soft" }, "A filled dot is a significant difference; the line is its 95 % interval."), forests(found.forest, curves)] : []);
  patch(tables, table(found), notes(found));
  patch(judged, shown(found));
  const [upper, lower] = found.forest.some((one) => one.told) ? [differences, serving.node] : [serving.node, differences];
  if (!top.isConnected) show(top, upper, lower, curves.training, apart, curves.times, curves.machine, tables, judged);
  curves.give(found);
  serving.give(found.serving, found.answer);
  what(found);
  if (found.live && !live) live = follow("/api/changes", rarely(() => load(false), 2000));
  if (!found.live && live) { live.close(); live = null; connected(null); }
}

const heading = (found) => found.question || `Comparison of ${found.runs.length} runs`;

function answer(found) {
  if (found.answer.length) return el("div", { class: "answer", id: "answer" }, found.answer.map((text) => el("p", {}, text)));
  return el("p", { class: "answer", id: "answer" }, found.why_not || "None of these runs has ended yet. Their curves are below.");
}

function chosen(found) {
  const names = found.runs.map((run) => run.folder);
  const twice = (run) => found.runs.filter((other) => other.name === run.name).length > 1;
  const without = (run) => { write({ runs: names.filter((name) => name !== run.folder).join(",") }, { remember: true }); load(false); };
  return el("details", { class: "members" }, el("summary", {}, `${found.runs.length} runs`),
    el("ul", { class: "chips", "aria-label": "runs" }, found.runs.map((run) => el("li", { data: { key: run.folder } }, runLink(run.folder, twice(run) ? `${run.name} ${run.folder.slice(-6)}` : run.name), run.status === "completed" ? null : [" ", mark(run.status)],
      names.length > 2 ? el("button", { type: "button", "aria-label": `leave out ${run.name}`, on: { click: () => without(run) } }, "×") : null))));
}

function controls(found, now) {
  const change = (name) => (event) => { write({ [name]: event.target.value }, { remember: true }); load(false); };
  return el("div", { class: "controls" },
    found.groups.length ? el("label", { for: "baseline" }, "Baseline", el("select", { id: "baseline", on: { change: change("baseline") } }, found.groups.map((name) => el("option", { value: name, selected: name === found.baseline }, name)))) : null,
    el("label", { for: "budget" }, "Compare at", el("select", { id: "budget", on: { change: change("budget") } }, AXES.map(([name, text]) => el("option", { value: name, selected: name === (now.budget || "") }, text)))),
    el("label", { for: "by" }, "Group by", el("input", { id: "by", type: "text", placeholder: found.by.join(",") || "batch_size,lr", value: now.by || "", on: { change: change("by") } })));
}

// what was set differently: of two settings, by the first run of each
function what(found) {
  apart.hidden = found.examples.length < 2;
  if (apart.hidden) return;
  const now = read(), at = (name, otherwise) => found.groups.includes(now[name]) ? now[name] : otherwise;
  const a = at("a", found.baseline), b = at("b", found.groups.find((name) => name !== a));
  const choose = (name, value) => el("label", { class: "inline", for: `diff-${name}` }, name.toUpperCase(), el("select", { id: `diff-${name}`, on: { change: (event) => { write({ [name]: event.target.value }); what(found); } } }, found.groups.map((one) => el("option", { value: one, selected: one === value }, one))));
  patch(apart, el("h2", {}, "What differs"), found.groups.length > 2 ? el("div", { class: "controls tight" }, choose("a", a), choose("b", b)) : null, diff.place);
  const folders = [a, b].map((name) => found.examples[found.groups.indexOf(name)]);
  if (what.shown !== folders.join()) { what.shown = folders.join(); diff.load(...folders); }
}

function table(found) {
  if (!found.table) return [];
  const heads = found.table.heads.map((head) => el("th", { scope: "col", class: head.number ? "number" : "" }, head.text));
  const rows = found.table.rows.map((cells, row) => el("tr", {}, cells.map((cell, at) => el(at ? "td" : "th", { class: `${cell.number ? "number" : ""} ${cell.best ? "best" : ""}`.trim(), scope: at ? null : "row" },
    at ? null : curves.swatch(found.groups[row]), cell.text + (cell.best ? " ★" : ""), cell.mark ? [" ", mark(cell.mark)] : null, cell.interval ? el("span", { class: "interval" }, cell.interval) : null))));
  return [el("h2", {}, "All figures"), el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "comparison table" }, el("table", { id: "table" }, el("thead", {}, el("tr", {}, heads)), el("tbody", {}, rows))), el("p", { class: "soft" }, found.table.note)];
}

function notes(found) { return found.notes.length ? el("ul", { class: "soft small" }, found.notes.map((note) => el("li", {}, note))) : null; }

// what is said of several runs in the same words is said once
function shown(found) {
  const same = new Map();
  for (const one of found.findings) {
    const key = [one.code, one.severity, one.message].join("\n"), had = same.get(key);
    if (had) had.evidence = [...had.evidence, ...(one.evidence || [])]; else same.set(key, { ...one, evidence: [...(one.evidence || [])] });
  }
  const causes = new Map();
  for (const one of same.values()) causes.set(one.code, [...(causes.get(one.code) || []), one]);
  return causes.size ? [el("h2", {}, "Findings"), ...[...causes].map(([code, all]) => el("section", { data: { key: code } }, el("h3", {}, code, el("span", { class: "soft" }, all.length > 1 ? ` ${all.length} times` : "")), alike(all)))] : [];
}

addEventListener("popstate", () => load(false));
load(true);
