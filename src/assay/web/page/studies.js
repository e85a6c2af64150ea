// Studies as grids that fill: a row for every combination, a box for every run.
import { comparePath, counted, el, follow, get, mark, rarely, runPath, show, titled } from "./parts.js";

const SIGNS = { completed: "✓", failed: "✗", interrupted: "!", running: "▸", queued: "·" };
let version = -1;

async function load() {
  const found = await get("/api/studies", { quiet: version >= 0 });
  if (!found) return;
  const first = version < 0;
  version = found.version;
  titled("Studies");
  show(el("h1", {}, "Studies"), found.studies.length ? found.studies.map(grid) : el("p", {}, "No study has run here yet. Start one in a terminal: ", el("code", {}, "assay run --repeat 3 --grid lr=0.1,0.01 -- python train.py --lr {lr}")));
  if (first) follow(`/api/changes?after=${version}`, rarely(load, 500));
}

function grid(study) {
  const heads = [...study.varied, "runs", ...study.heads].map((text, at) => el("th", { scope: "col", class: at > study.varied.length ? "number" : "" }, text));
  const rows = study.rows.map((row) => el("tr", { data: { key: row.settings.join("|") } },
    row.settings.map((value, at) => el(at ? "td" : "th", { scope: at ? null : "row" }, value, at ? null : row.marks.flatMap((word) => [" ", mark(word)]))),
    el("td", {}, el("span", { class: "boxes" }, row.runs.map(box), Array.from({ length: row.left }, () => el("span", { class: "left", title: "to do" }, "–")), row.left ? el("span", { class: "visually-hidden" }, `${row.left} to do`) : null)), row.figures.map((text) => el("td", { class: "number" }, text))));
  const total = Object.values(study.counts).reduce((sum, count) => sum + count, 0), ended = total - ["running", "queued", "to do"].reduce((sum, state) => sum + (study.counts[state] || 0), 0);
  const counts = Object.entries(study.counts).map(([state, count]) => `${count} ${state}`).join(", ");
  return el("section", { data: { key: study.name } }, el("h2", {}, study.name), study.question ? el("p", { class: "soft" }, `${study.question[0].toUpperCase()}${study.question.slice(1)}`) : null,
    el("div", { class: "row" }, el("progress", { max: total || 1, value: ended, "aria-label": `runs of ${study.name} that have ended` }), el("span", {}, `${counts} of ${counted(total, "run")}`),
      el("a", { class: "button primary", href: comparePath(study.folders, study.baseline) }, "Compare"), el("a", { class: "button", href: `/?where=${encodeURIComponent("study=" + study.name)}` }, "List its runs")),
    el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": `combinations of ${study.name}` }, el("table", { class: "study" }, el("thead", {}, el("tr", {}, heads)), el("tbody", {}, rows))), el("p", { class: "soft small" }, [study.heads.length ? "Each figure is the median of the completed runs." : "", study.same.length ? `The same in all runs: ${study.same.map(([name, value]) => `${name} ${value}`).join(", ")}.` : ""].filter(Boolean).join(" ")));
}

function box(run) {
  const name = /^[a-z]+$/.test(run.status) ? run.status : "";
  return el("a", { class: name, href: runPath(run.folder), title: `${run.status}, repeat ${run.repeat}`, "aria-label": `${run.status}, repeat ${run.repeat}`, data: { key: run.folder } }, SIGNS[run.status] || "?");
}

load();
