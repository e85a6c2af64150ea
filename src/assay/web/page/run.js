// One run: what it came to, its curves, the machine, its output and what proves it; while it goes on, as it happens.
import { connected, el, finding, follow, get, mark, rarely, show } from "./parts.js";
import { Log } from "./log.js";
import { draw, give, sections, watchAxis } from "./sections.js";
import { read, write } from "./state.js";

const folder = decodeURIComponent(location.pathname.slice("/run/".length));
const api = `/api/run/${encodeURIComponent(folder)}`;
const MOST_ROWS = 20000;
let view = null, stream = null, log = null, total = 0;

const head = el("div", { id: "head" });
const charts = el("div", { id: "charts" });
const counted = el("p", { class: "soft small", id: "counted" });
const evidence = el("section", { id: "evidence" });
const judged = el("section", { id: "judged" });

async function load(first) {
  const found = await get(api, { quiet: !first });
  if (!found) return;
  view = found;
  if (first) {
    log = new Log(folder);
    show(head, charts, judged, log.node, evidence, how(found), counted);
    log.begun();
    watchAxis(() => {});
    document.title = `${found.head.name} · assay`;
  }
  total = found.total;
  tell(found.head);
  prove(found);
  count(found.kept);
  await give(found);
  const ids = found.sections.flatMap((section) => section.charts.map((one) => one.id)).join(" ") + found.sections.flatMap((section) => section.axes.map(([name]) => name)).join(" ");
  if (charts.dataset.ids !== ids) {
    charts.dataset.ids = ids;
    charts.replaceChildren(...sections(found, { grid: ["progress", "machine"] }));
    draw(charts);
  } else for (const name of Object.keys(found.data)) window.assayCharts.update(name);
  listen();
}

function listen() {
  if (stream) stream.close();
  stream = null;
  if (!view.live) { connected(null); return; }
  stream = follow(`${api}/events?after=${view.seq}`, take, "live");
}

const reload = rarely(() => load(false), 300);

function take(batch) {
  if (batch.total) { total = batch.total; count(null); }
  for (const name of ["curves", "machine"]) if (batch[name]) append(name, batch[name]);
  if (batch.spans) { window.assayCharts.replace("spans", batch.spans); stale.add("spans"); repaint(); }
  if (batch.log) log.grow(batch.log);
  if (batch.head) tell(batch.head);
  if (batch.proofs) prove({ ...view, proofs: batch.proofs });
  if (batch.again || batch.ended || rows("curves") > MOST_ROWS || rows("machine") > MOST_ROWS) { if (batch.ended || batch.lost) { stream.close(); connected(null); } reload(); }
}

const rows = (name) => ((window.ASSAY.data[name] || {}).run || []).length;
const stale = new Set();
const repaint = rarely(() => { for (const name of stale) window.assayCharts.update(name); stale.clear(); }, 400);

function append(name, columns) {
  const all = window.ASSAY.data[name] || {};
  const had = rows(name), more = columns.run.length;
  for (const key of new Set([...Object.keys(all), ...Object.keys(columns)])) {
    const column = all[key] || (all[key] = new Array(had).fill(null));
    const news = columns[key];
    for (let at = 0; at < more; at++) column.push(news ? news[at] : null);
  }
  window.assayCharts.replace(name, all);
  stale.add(name);
  repaint();
}

function count(kept) {
  const thinned = kept !== null && kept !== undefined && kept < total / 2 ? `; curves show ${kept.toLocaleString("en")} of them, peaks kept` : "";
  counted.textContent = `${total.toLocaleString("en")} events${thinned}`;
}

function tell(now) {
  const settings = now.settings.map(([name, value, origin]) => el("li", { class: origin === "claimed" ? "claimed" : "", title: origin }, `${name} ${value}`));
  const metrics = now.metrics.map(([name, value]) => el("li", {}, `${name} ${value}`));
  head.replaceChildren(
    el("div", { class: "title" }, el("h1", {}, now.name || folder), mark(now.status), now.how && now.how !== "executed" ? mark(now.how) : null, el("span", { class: "soft" }, now.says)),
    now.error ? el("div", { class: "problem" }, el("p", {}, `${now.error.code}: ${now.error.message || ""}`), now.error.hint ? el("p", { class: "soft" }, now.error.hint) : null) : "",
    settings.length ? el("ul", { class: "chips", "aria-label": "settings; dashed: only claimed" }, settings) : "",
    el("dl", { class: "words" }, now.words.flatMap(([label, text]) => [el("dt", {}, label), el("dd", {}, text)])),
    metrics.length ? el("ul", { class: "chips", "aria-label": "other figures" }, metrics) : "",
    ...now.problems.map((text) => el("p", { class: "soft" }, text)));
}

function prove(found) {
  const lines = (found.proofs || []).map((one) => el("tr", {}, el("th", { scope: "row" }, one.name), el("td", {}, one.value), el("td", { class: "soft" }, one.line ? el("a", { href: `?line=${one.line}#output`, on: { click: (event) => { event.preventDefault(); write({ line: one.line, find: "" }); log.at(one.line); document.getElementById("output").scrollIntoView(); } } }, one.place) : one.place)));
  evidence.replaceChildren(...(lines.length ? [el("h2", {}, "Evidence"), el("p", { class: "soft" }, "The last word on each figure, and where it stands."), el("div", { class: "scroll" }, el("table", {}, el("tbody", {}, lines)))] : []));
  const findings = found.findings || [];
  const nothing = found.live ? "A run that goes on is not judged yet." : "The audit has nothing to say against this run.";
  judged.replaceChildren(el("h2", {}, "Findings"), ...(findings.length ? findings.map(finding) : [el("p", {}, nothing)]), found.judged ? el("p", { class: "soft small" }, found.judged) : "");
}

function how(found) {
  return el("section", { id: "how" }, el("h2", {}, "How it was measured"), el("dl", {}, found.facts.flatMap(([name, value]) => [el("dt", {}, name), el("dd", {}, value)])));
}

if (read().axis) document.documentElement.dataset.axis = read().axis;
load(true);
