// What stands above the list of runs.
import { comparePath, counted, cut, el, get, mark, number, patch, runLink, runPath, seconds } from "./parts.js";
import { spark } from "./spark.js";

const FAILED = 3;

// Cards of the runs that go on.
export async function now(place) {
  const found = await get("/api/now", { quiet: true });
  if (!found) return;
  place.hidden = !found.active;
  place.classList.toggle("several", found.running.length > 2);
  patch(place, el("h2", {}, found.active === 1 ? "Running now" : `Running now: ${counted(found.active, "run")}`), el("div", { class: "cards" }, found.running.map(card)));
}

function card(run) {
  const facts = [run.says, run.rate, run.loss === null ? "" : `loss ${number(run.loss)}`].filter(Boolean).join(" · ");
  const left = run.left_s === null ? (run.elapsed_s ? `running for ${seconds(run.elapsed_s)}` : "") : `about ${seconds(run.left_s)} left`;
  return el("article", { class: "card", data: { key: run.folder } },
    el("div", { class: "row spread" }, el("a", { href: runPath(run.folder), class: "name" }, run.name), run.status === "running" ? null : mark(run.status), spark(run.spark, { width: 130, height: 30 })),
    run.share === null ? null : el("progress", { max: 1, value: run.share, "aria-label": `progress of ${run.name}` }),
    el("div", { class: "row spread small" }, el("span", {}, facts), el("span", { class: "soft" }, left)));
}

// The last study's answer in a sentence.
export async function answer(place) {
  const found = await get("/api/answer", { quiet: true });
  place.hidden = !found || !found.study || !found.answer;
  if (place.hidden) return;
  const left = ["running", "queued", "to do"].reduce((sum, state) => sum + (found.counts[state] || 0), 0), total = Object.values(found.counts).reduce((sum, count) => sum + count, 0);
  patch(place, el("h2", {}, `Last study: ${found.study}`), el("p", { class: "soft" }, [found.question, left ? `${total - left} of ${counted(total, "run")} so far` : ""].filter(Boolean).join(" · ")), el("p", { class: "answer" }, found.answer),
    el("p", {}, el("a", { class: "button primary", href: comparePath(found.folders, found.baseline) }, "Show the comparison"), " ", el("a", { class: "button", href: "/studies" }, "Progress")));
}

// What someone should look at: failures, and what the audit finds wrong.
export async function attention(place) {
  const found = await get("/api/now", { quiet: true }), failed = found ? found.failed : [];
  if (!place.childElementCount) warn(place, found, [], null);  // the audit takes a while
  const audit = await get("/api/findings?limit=30", { quiet: true }), known = new Set(failed.map((one) => one.folder));
  const told = (one) => one.findings.every((each) => each.runs.length && each.runs.every((run) => known.has(run.folder)));
  warn(place, found, ((audit || {}).causes || []).filter((one) => one.severity !== "note" || !told(one)), audit);
}

function warn(place, found, causes, audit) {
  const failed = found ? found.failed : [], more = (found ? found.failures : 0) - FAILED;
  place.hidden = !failed.length && !causes.length;
  patch(place, el("h2", {}, "Needs attention"),
    el("ul", { class: "attention" }, failed.slice(0, FAILED).map(failure), causes.slice(0, 3).map(cause)),
    el("p", {}, more > 0 ? [el("a", { href: "/?where=status%3Dfailed" }, counted(more, "more failed run")), causes.length ? " · " : null] : null, causes.length ? el("a", { href: "/findings" }, "All findings") : null),
    audit && audit.older ? el("p", { class: "soft" }, `Checked: the newest ${counted(audit.judged, "run")} of ${audit.judged + audit.older}`) : null);
}

function failure(one) {
  return el("li", { data: { key: one.folder } }, mark("failed"), " ", runLink(one.folder, one.name), ` ${one.code}${one.message ? ": " + cut(one.message, 140) : ""}`);
}

function cause(one) {
  const { runs, message } = one.findings[0];
  return el("li", { data: { key: one.code } }, mark(one.severity), " ", el("a", { href: `/findings#${one.code}` }, one.code), " ",
    runs.length === 1 ? [runLink(runs[0].folder, runs[0].name), ": "] : "", cut(message, 160), one.count > 1 ? [" · ", el("a", { href: `/findings#${one.code}` }, `${one.count - 1} more`)] : "");
}
