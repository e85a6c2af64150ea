// What all pages share: asking the server, following what is new, words for numbers, the bar at the top.
import { el, patch } from "./dom.js";

export { el, patch };
export const main = document.getElementById("main");

export function show(...parts) {
  const wait = document.getElementById("wait");
  if (wait) wait.remove();
  patch(main, ...parts);
}

export function problem(text, hint) {
  return el("div", { class: "problem", role: "alert" }, el("p", {}, text), hint ? el("p", { class: "soft" }, hint) : null);
}

export const mark = (word) => el("span", { class: `mark ${/^[a-z]+$/.test(word) ? word : ""}` }, word);
export const runPath = (folder) => `/run/${encodeURIComponent(folder)}`;
export const runLink = (folder, text) => el("a", { href: runPath(folder) }, text);
export const comparePath = (folders, baseline = "") => "/compare?runs=" + folders.map(encodeURIComponent).join(",") + (baseline ? `&baseline=${encodeURIComponent(baseline)}` : "");
export const cut = (text, most) => text.length > most ? `${text.slice(0, most - 1).trimEnd()}…` : text;
export const counted = (count, word) => `${count.toLocaleString("en")} ${word}${count === 1 ? "" : "s"}`;
export const chosen = (name, value, now) => el("option", { value, selected: value === now }, name);

export function titled(...words) { document.title = [...words.filter(Boolean), "Assay"].join(" · "); }

// As many digits as can be seen in a chart.
export function number(value) {
  if (value === null || value === undefined || !Number.isFinite(value)) return "–";
  const size = Math.abs(value);
  if (size >= 1e15 || (size < 1e-4 && size > 0)) return value.toExponential(3);
  if (size >= 10000) return Math.round(value).toLocaleString("en");
  return Number(value.toPrecision(5)).toLocaleString("en", { maximumSignificantDigits: 5 });
}

export function seconds(value) {
  if (value < 90) return `${number(Number(value.toPrecision(2)))} s`;
  if (value < 5400) return `${Math.round(value / 60)} min`;
  return `${(value / 3600).toFixed(1)} h`;
}

// As `show_seconds` has it: the two most significant parts.
export function lasted(value) {
  const two = (part) => String(part).padStart(2, "0"), whole = Math.round(value);
  if (value < 0.9995) return `${Number((1000 * value).toPrecision(3))} ms`;
  if (value < 59.95) return `${value.toFixed(value < 9.995 ? 2 : 1)} s`;
  if (whole < 3600) return `${Math.floor(whole / 60)}m ${two(whole % 60)}s`;
  if (whole < 86400) return `${Math.floor(whole / 3600)}h ${two(Math.floor(whole % 3600 / 60))}m`;
  return `${Math.floor(whole / 86400)}d ${two(Math.floor(whole % 86400 / 3600))}h`;
}

export const percent = (share) => share > 0 && share < 0.005 ? "< 1 %" : `${Math.round(100 * share)} %`;

export function bytes(value) {
  const units = ["bytes", "KiB", "MiB", "GiB", "TiB"], at = value < 1024 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(value) / 10));
  return `${number(Number((value / 1024 ** at).toPrecision(3)))} ${units[at]}`;
}

const pause = (ms) => new Promise((done) => setTimeout(done, ms));

// JSON of ours. While the server still works on it, says how far; null where it cannot be had, and that is shown.
export async function get(path, { quiet = false, told = null } = {}) {
  for (;;) {
    let answer, value;
    try {
      answer = await fetch(path, { headers: { accept: "application/json" } });
      value = await body(answer);
    } catch {
      connected(false);
      if (quiet) return null;
      await pause(1000);
      continue;
    }
    if (answer.status === 202) {
      if (!quiet) progress(value.building);
      await pause(250);
      continue;
    }
    if (answer.ok) return value;
    if (told) told(value.error || `error ${answer.status}`, value.hint);
    else if (!quiet) show(problem(value.error || `error ${answer.status}`, value.hint), el("p", {}, el("a", { href: "/" }, "All runs")));
    return null;
  }
}

// Changes something. Answers what the server says, with `error` where it was refused.
export async function post(path, values) {
  try {
    const answer = await fetch(path, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(values) });
    const value = await body(answer);
    return answer.ok ? value : { error: value.error || `error ${answer.status}`, hint: value.hint };
  } catch {
    return { error: "The server does not answer", hint: "Start it again with: assay serve" };
  }
}

async function body(answer) {
  const json = (answer.headers.get("content-type") || "").includes("json");
  return json ? answer.json() : { error: await answer.text() };
}

function progress(share) {
  const text = "Reading this run for the first time. After this it opens at once.";
  show(el("p", { role: "status" }, share ? text : "Reading…"), el("progress", { max: 1, value: share || null, "aria-label": "how much is read" }));
}

export function connected(yes) {
  const sign = document.getElementById("live");
  sign.className = `small ${yes ? "on" : "off"}`;
  sign.hidden = yes === null;
  sign.textContent = yes === null ? "" : yes ? "live" : "not connected";
}

// Server-sent events. The browser reconnects by itself and says which one it had last.
export function follow(path, handler) {
  const source = new EventSource(path);
  source.onopen = () => connected(true);
  source.onerror = () => connected(false);
  source.onmessage = (event) => handler(JSON.parse(event.data));
  addEventListener("pagehide", () => source.close());
  return source;
}

export function rarely(work, ms) {
  let waiting = null, last = -1e9;
  return (...given) => {
    if (waiting) return;
    waiting = setTimeout(() => { waiting = null; last = performance.now(); work(...given); }, Math.max(0, ms - (performance.now() - last)));
  };
}

const FIRST = 3, MOST_LINES = 50;

// Findings of one cause: the first few, and the others where someone wants them. The heading says the cause.
export function alike(findings) {
  const more = findings.slice(FIRST);
  return [findings.slice(0, FIRST).map((one) => finding(one, false)), more.length ? el("details", { data: { key: "more" } }, el("summary", {}, `${more.length} more`), more.map((one) => finding(one, false))) : null];
}

// a line of the output of a run that is here leads to it
function evidenceOf(one, proof) {
  const runs = one.runs || [], text = `${proof.source}${proof.line ? ":" + proof.line : ""}`;
  const run = runs.length === 1 ? runs[0] : runs.find((each) => proof.source.startsWith(`${each.name} `));
  return run && proof.line && proof.source.endsWith("output.log") ? el("a", { href: `${runPath(run.folder)}?line=${proof.line}#output` }, text) : text;
}

export function finding(one, named = true) {
  const line = (proof) => el("li", {}, evidenceOf(one, proof), ` ${proof.text}`), all = (one.evidence || []).map(line), more = all.slice(FIRST);
  return el("article", { class: `finding ${one.severity}` },
    el("p", {}, mark(one.severity), " ", named ? [el("strong", {}, one.code), " "] : null, one.message),
    all.length ? el("ol", { class: "evidence" }, all.slice(0, FIRST)) : null,
    more.length ? el("details", { class: "small", data: { key: "evidence" } }, el("summary", {}, counted(more.length, "more line")), el("ol", { class: "evidence" }, more.slice(0, MOST_LINES), more.length > MOST_LINES ? el("li", {}, `… and ${more.length - MOST_LINES} more`) : null)) : null,
    one.hint ? el("p", { class: "soft" }, "→ " + one.hint) : null,
    (one.runs || []).length ? el("p", { class: "small" }, one.runs.slice(0, 12).flatMap((run, at) => [at ? ", " : "", runLink(run.folder, run.name)]), one.runs.length > 12 ? ` and ${one.runs.length - 12} more` : "") : null);
}

export function download(name, content, type) {
  const link = el("a", { href: URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type })), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

export const dark = () => {
  const now = document.documentElement.dataset.theme;
  return now ? now === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
};

function begin() {
  for (const link of document.querySelectorAll("header.bar nav a[data-page]"))
    if (link.dataset.page === document.documentElement.dataset.page) link.setAttribute("aria-current", "page");
  const kept = localStorage.getItem("assay-mode");
  if (kept) document.documentElement.dataset.theme = kept;
  document.getElementById("mode").addEventListener("click", () => {
    document.documentElement.dataset.theme = dark() ? "light" : "dark";
    localStorage.setItem("assay-mode", document.documentElement.dataset.theme);
    dispatchEvent(new Event("assay-theme"));
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => dispatchEvent(new Event("assay-theme")));
}
begin();
