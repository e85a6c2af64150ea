// One run: what it came to, its curves, the machine, its output and what proves it; while it goes on, as it happens.
import { bytes, connected, el, finding, follow, get, mark, patch, rarely, show, titled } from "./parts.js";
import { Curves } from "./curves.js";
import { Diff } from "./diff.js";
import { labelDialog, removeDialog } from "./edit.js";
import { Log } from "./log.js";
import { Serving } from "./serving.js";
import { share } from "./share.js";
import { read, write } from "./state.js";

const folder = decodeURIComponent(location.pathname.slice("/run/".length));
const api = `/api/run/${encodeURIComponent(folder)}`;
const MOST_ROWS = 20000, PICTURES = 60;
let view = null, stream = null, log = null, total = 0;

const head = el("div", { id: "head" });
export const curves = new Curves();
const serving = new Serving(curves);
const other = el("section", { id: "other" });
const files = el("section", { id: "files" });
const diff = new Diff();
const counted = el("p", { class: "soft small", id: "counted" });
const evidence = el("section", { id: "evidence" });
const judged = el("section", { id: "judged" });
const how = el("section", { id: "how" });

async function load(first) {
  const found = await get(api, { quiet: !first });
  if (!found) return;
  view = found;
  total = found.total;
  prove(found);
  tell(found.head);
  count(found.kept);
  if (first) {
    log = new Log(folder, found.live);
    show(head, serving.node, curves.training, curves.times, curves.machine, judged, log.node, evidence, other, files, how, counted);
    log.begun();
    beside();
  }
  listed(found.files || []);
  serving.give(found.serving);
  patch(how, el("h2", {}, "How it was measured"), el("dl", {}, found.facts.flatMap(([name, value]) => [el("dt", {}, name), el("dd", {}, value)])));
  curves.give(found);
  listen();
}

function listen() {
  if (stream) stream.close();
  stream = null;
  if (!view.live) { connected(null); return; }
  stream = follow(`${api}/events?after=${view.seq}`, take);
}

const reload = rarely(() => load(false), 300);

export function take(batch) {
  if (batch.total) { total = batch.total; count(null); }
  for (const name of ["curves", "machine"]) if (batch[name]) append(name, batch[name]);
  if (batch.shares) { curves.data.shares = batch.shares; curves.layTimes(); }
  if (batch.spans) { curves.data.spans = batch.spans; repaint(); }
  if (batch.log) log.grow(batch.log);
  if (batch.proofs) prove({ ...view, proofs: batch.proofs });
  if (batch.head) tell(batch.head);
  if (batch.ended || batch.lost) { stream.close(); connected(null); }
  if (batch.again || batch.ended || rows("curves") > MOST_ROWS || rows("machine") > MOST_ROWS) reload();
}

const rows = (name) => ((curves.data[name] || {}).run || []).length;
const repaint = rarely(() => curves.fill(), 200);

function append(name, columns) {
  const all = curves.data[name] || (curves.data[name] = {}), had = rows(name), more = columns.run.length;
  for (const key of new Set([...Object.keys(all), ...Object.keys(columns)])) {
    const column = all[key] || (all[key] = new Array(had).fill(null)), news = columns[key];
    for (let at = 0; at < more; at++) column.push(news ? news[at] : null);
  }
  repaint();
}

function count(kept) {
  const thinned = kept !== null && kept !== undefined && kept < total / 2 ? `; the curves show ${kept.toLocaleString("en")} of them, with every peak` : "";
  counted.textContent = `${total.toLocaleString("en")} events${thinned}`;
}

function tell(now) {
  titled(now.name || folder, now.status === "running" ? "running" : "");
  const settings = now.settings.map(([name, value, origin]) => el("li", { class: origin === "claimed" ? "claimed" : "", title: origin === "claimed" ? "stated, but not confirmed by the output" : null }, el("span", { class: "soft" }, name), ` ${value}`));
  const metrics = now.metrics.map(([name, value]) => el("li", {}, el("span", { class: "soft" }, name), ` ${value}`));
  patch(head,
    el("div", { class: "title" }, el("h1", {}, now.name || folder), mark(now.status), now.how && now.how !== "executed" ? mark(now.how) : null, el("span", { class: "soft" }, now.says)),
    el("div", { class: "row actions" }, share(`assay report ${folder.slice(-6)} -o report.html`),
      now.status === "running" || now.status === "queued" ? null : [el("button", { type: "button", class: "tiny", id: "label", on: { click: () => labelDialog([folder], (gone, moved) => { location.href = `/run/${encodeURIComponent(moved[0] || folder)}`; }) } }, "Rename, tag, note…"),
        el("button", { type: "button", class: "tiny", id: "remove", on: { click: () => removeDialog([folder], () => { location.href = "/"; }) } }, "Delete…")]),
    view && (view.label.tags.length || view.label.note) ? el("p", {}, view.label.tags.map((tag) => [el("span", { class: "mark" }, tag), " "]), view.label.note) : null,
    now.error ? el("div", { class: "problem" }, el("p", {}, `${now.error.code}: ${now.error.message || ""}`), now.error.hint ? el("p", { class: "soft" }, now.error.hint) : null, now.error.line ? el("p", {}, place({ line: now.error.line, place: `line ${now.error.line.toLocaleString("en")} of the output` })) : null) : null,
    settings.length ? el("ul", { class: "chips", "aria-label": "settings" }, settings) : null,
    el("dl", { class: "words" }, now.words.flatMap(([label, text]) => [el("dt", {}, label), el("dd", {}, now.parts[label] ? figures(text, now.parts[label]) : text)])),
    metrics.length ? [el("p", { class: "soft chipped" }, "Other figures, as last reported"), el("ul", { class: "chips", "aria-label": "other figures" }, metrics)] : null,
    now.problems.map((text) => el("p", { class: "soft" }, text)));
}

// each figure leads to its line: of the output where it was printed, else under Evidence
function figures(text, parts) {
  const made = [];
  let at = 0;
  for (const [piece, names] of parts) {
    const from = text.indexOf(piece, at), proof = (view.proofs || []).find((one) => names.includes(one.name));
    made.push(text.slice(at, from), proof ? place({ line: proof.line, place: piece, name: proof.name, why: proof.place }) : piece);
    at = from + piece.length;
  }
  return made;
}

function prove(found) {
  view.proofs = found.proofs;
  const lines = (found.proofs || []).map((one) => el("tr", { id: `proof-${one.name}` }, el("th", { scope: "row" }, one.name), el("td", {}, one.value), el("td", { class: "soft" }, place(one))));
  patch(evidence, lines.length ? [el("h2", {}, "Evidence"), el("p", { class: "soft" }, "The last value of each figure, and the line of the output that it comes from."), el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "evidence" }, el("table", {}, el("tbody", {}, lines)))] : []);
  const findings = found.findings || [];
  const nothing = found.live ? "The audit looks at this run when it has ended." : "The audit found no problems in this run.";
  patch(judged, el("h2", {}, "Findings"), findings.length ? findings.map((one) => finding(one)) : el("p", {}, nothing), found.judged ? el("p", { class: "soft small" }, found.judged) : null);
}

// the diff to another run: the nearest of its study or program, unless another is chosen
async function beside() {
  const found = await get("/api/runs?limit=200", { quiet: true });
  const runs = ((found || {}).rows || []).filter((run) => run.folder !== folder && run.status !== "running" && run.status !== "queued");
  other.hidden = !runs.length;
  if (!runs.length) return;
  const name = (run) => `${run.cells[0]} ${run.folder.slice(-6)}`;
  const now = runs.find((run) => run.folder === read().diff);
  const select = el("select", { id: "diff-to", on: { change: (event) => { write({ diff: event.target.value }); diff.load(event.target.value, folder); } } }, el("option", { value: "", selected: !now, disabled: true }, "choose a run"), runs.map((run) => el("option", { value: run.folder, selected: run === now }, name(run))));
  const begin = async () => {
    const found = await diff.load(select.value, folder), chosen = found && found.a;
    if (!chosen || select.value) return;
    if (!runs.some((run) => run.folder === chosen.folder)) select.append(el("option", { value: chosen.folder }, `${chosen.name} ${chosen.folder.slice(-6)}`));
    select.value = chosen.folder;
  };
  patch(other, el("h2", {}, "What differs from another run"), el("div", { class: "controls tight" }, el("label", { class: "inline", for: "diff-to" }, "Compared with", select)), diff.place);
  new IntersectionObserver((entries, watcher) => { if (entries.some((entry) => entry.isIntersecting)) { watcher.disconnect(); begin(); } }, { rootMargin: "300px" }).observe(other);
}

// what Assay wrote of the run, and what the command kept in its folder; pictures can be looked at
function listed(all) {
  const path = (file) => `${api}/file/${file.name.split("/").map(encodeURIComponent).join("/")}`, pictures = all.filter((file) => file.picture);
  files.hidden = !all.length;
  patch(files, el("h2", {}, "Files"),
    el("ul", { class: "small" }, all.map((file) => el("li", {}, el("a", { href: path(file), download: `${folder}-${file.name.replaceAll("/", "-")}` }, file.name), ` ${bytes(file.bytes)}`))),
    pictures.length ? el("div", { class: "grid" }, pictures.slice(0, PICTURES).map((file) => el("figure", { class: "charted picture", data: { key: file.name } }, el("figcaption", {}, el("span", { class: "name" }, file.name)), el("img", { src: `${path(file)}?show`, alt: file.name, loading: "lazy" })))) : null);
}

function place(one) {
  if (!one.line) return one.why ? el("a", { class: "figure", href: `#proof-${encodeURIComponent(one.name)}`, title: one.why }, one.place) : one.place;
  const go = (event) => {
    event.preventDefault();
    write({ line: one.line, find: "" });
    log.at(one.line);
    document.getElementById("output").scrollIntoView();
  };
  return el("a", { class: one.why ? "figure" : null, title: one.why || null, href: `?line=${one.line}#output`, on: { click: go } }, one.place);
}

load(true);
