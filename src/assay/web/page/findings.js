// What the audit says of all runs; those not judged yet are judged while the page waits.
import { el, finding, get, show } from "./parts.js";
import { query, read, write } from "./state.js";

async function load() {
  const now = read();
  const found = await get("/api/findings?" + query({ limit: now.limit }), { quiet: document.getElementById("says") !== null });
  if (!found) return;
  const severity = el("select", { id: "severity", on: { change: () => { write({ severity: severity.value }); load(); } } }, ["", "wrong", "doubtful", "note"].map((name) => el("option", { value: name, selected: name === (now.severity || "") }, name || "all")));
  const wanted = found.findings.filter((one) => !now.severity || one.severity === now.severity);
  const waiting = found.waiting ? `; ${found.waiting} more are being judged` : "";
  const older = found.older ? el("button", { type: "button", on: { click: () => { write({ limit: String(Number(now.limit || 300) + 1000) }); load(); } } }, `judge ${found.older} older runs too`) : null;
  show(el("h1", {}, "Findings"), el("div", { class: "controls" }, el("label", { for: "severity" }, "severity", severity)),
    el("p", { id: "says", role: "status" }, `${found.count} finding${found.count === 1 ? "" : "s"} in ${found.judged} runs${waiting}`), older,
    wanted.map(finding), !found.count && !found.waiting ? el("p", {}, "The audit has nothing to say against these runs.") : null);
  if (found.waiting) setTimeout(load, 300);
}

load();
