// What the audit says of all runs, by cause: the same as `assay audit`.
import { alike, counted, el, get, show, titled } from "./parts.js";
import { query, read, write } from "./state.js";

const SEVERITIES = [["", "all"], ["wrong", "wrong"], ["doubtful", "doubtful"], ["note", "notes"]];

async function load() {
  const now = read();
  const found = await get("/api/findings?" + query({ limit: now.limit }), { quiet: document.getElementById("says") !== null });
  if (!found) return;
  titled("Findings");
  const severity = el("select", { id: "severity", on: { change: (event) => { write({ severity: event.target.value }); load(); } } }, SEVERITIES.map(([name, text]) => el("option", { value: name, selected: name === (now.severity || "") }, text)));
  const only = (one) => one.findings.filter((each) => !now.severity || each.severity === now.severity);
  const wanted = found.causes.map((one) => now.severity ? { ...one, findings: only(one), count: only(one).length } : one).filter((one) => one.findings.length);
  const more = () => { write({ limit: String(Number(now.limit || 300) + 1000) }); load(); };
  show(el("h1", {}, "Findings"),
    el("p", { id: "says", role: "status" }, found.count ? `${counted(found.count, "finding")} in ${counted(found.judged, "run")}` : `No problems found in ${counted(found.judged, "run")}`),
    el("div", { class: "controls" }, el("label", { for: "severity" }, "Severity", severity), found.older ? el("button", { type: "button", on: { click: more } }, `Include ${counted(found.older, "older run")}`) : null),
    wanted.map(cause));
  if (location.hash && !load.went) {
    load.went = true;
    const place = document.getElementById(location.hash.slice(1));
    if (place) place.scrollIntoView();
  }
}

function cause(one) {
  return el("section", { id: one.code, data: { key: one.code } }, el("h2", {}, one.code, el("span", { class: "soft" }, one.count > 1 ? ` ${one.count} times` : "")),
    one.says ? el("p", { class: "soft" }, `${one.says[0].toUpperCase()}${one.says.slice(1)}.`) : null, alike(one.findings));
}

load();
