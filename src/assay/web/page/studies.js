// Studies as grids that fill: a row for every combination, a box for every run.
import { el, follow, get, mark, rarely, show } from "./parts.js";

const SIGNS = { completed: "✓", failed: "✗", interrupted: "!", running: "▸", queued: "·" };
let version = -1;

async function load() {
  const found = await get("/api/studies", { quiet: version >= 0 });
  if (!found) return;
  const first = version < 0;
  version = found.version;
  const grids = found.studies.map(grid);
  show(el("h1", {}, "Studies"), grids.length ? grids : el("p", {}, "No run here belongs to a study. ", el("code", {}, "assay study FILE"), " makes a grid of runs."));
  if (first) follow(`/api/changes?after=${version}`, rarely(load, 500));
}

function grid(study) {
  const heads = [...study.varied, "runs", ...study.heads].map((text) => el("th", { scope: "col" }, text));
  const rows = study.rows.map((row) => el("tr", {}, row.settings.map((value, at) => el(at ? "td" : "th", { scope: at ? null : "row" }, value, at ? null : row.marks.flatMap((word) => [" ", mark(word)]))), el("td", {}, el("span", { class: "boxes" }, row.runs.map(box))), row.figures.map((text) => el("td", { class: "number" }, text))));
  const counts = Object.entries(study.counts).map(([state, count]) => `${count} ${state}`).join(", ");
  return el("section", {}, el("h2", {}, study.name), el("p", {}, counts, " · ", el("a", { href: "/compare?runs=" + study.folders.map(encodeURIComponent).join(",") }, "compare them"), " · ", el("a", { href: `/?where=${encodeURIComponent("study=" + study.name)}` }, "list them")),
    el("div", { class: "scroll" }, el("table", { class: "study" }, el("thead", {}, el("tr", {}, heads)), el("tbody", {}, rows))));
}

function box(run) {
  const name = /^[a-z]+$/.test(run.status) ? run.status : "";
  return el("a", { class: name, href: `/run/${encodeURIComponent(run.folder)}`, title: `${run.status}, repeat ${run.repeat}`, "aria-label": `${run.status}, repeat ${run.repeat}` }, SIGNS[run.status] || "?");
}

load();
