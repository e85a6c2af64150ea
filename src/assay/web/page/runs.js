// All runs: searched, narrowed, sorted and grouped by the server; new ones come by themselves.
import { connected, el, follow, get, mark, problem, rarely, runLink, show } from "./parts.js";
import { query, read, write } from "./state.js";

const STATES = ["running", "queued", "completed", "failed", "interrupted", "unfinished"];
const PIECE = 100;
const ticked = new Set((read().runs || "").split(",").filter(Boolean));
let shown = PIECE, version = -1, asked = 0;

const search = el("input", { type: "search", id: "search", placeholder: "name, setting, host …", value: read().q || "", on: { input: rarely(() => change({ q: search.value }), 150) } });
const where = el("input", { type: "text", id: "where", placeholder: "batch_size>=512; loss<2", value: where_text(), on: { change: () => change({ where: conditions() }) } });
const state = el("select", { id: "state", on: { change: () => change({ where: conditions() }) } }, el("option", { value: "" }, "any"), STATES.map((name) => el("option", { value: name, selected: state_text() === name }, name)));
const group = el("select", { id: "group", on: { change: () => change({ group: group.value }) } }, el("option", { value: "" }, "nothing"));
const compare = el("a", { class: "primary", id: "compare", href: "#" }, "compare");
const count = el("p", { class: "soft", role: "status", id: "count" });
const table = el("table", { class: "runs" });
const more = el("button", { type: "button", id: "more", on: { click: () => { shown += PIECE; load(); } } }, "show more");
const troubles = el("div", {});

function parts() { return (read().where || "").split(";").map((text) => text.trim()).filter(Boolean); }
function state_text() { return (parts().find((text) => text.startsWith("status=")) || "").slice(7); }
function where_text() { return parts().filter((text) => !text.startsWith("status=")).join("; "); }
function conditions() { return [state.value ? `status=${state.value}` : "", ...where.value.split(";").map((text) => text.trim())].filter(Boolean).join(";"); }

function change(values) { shown = PIECE; write(values); load(); }

async function load() {
  const mine = ++asked;
  const now = read();
  const found = await get("/api/runs?" + query({ q: now.q, where: now.where, sort: now.sort, group: now.group, limit: Math.min(500, shown), offset: 0 }), { quiet: version >= 0 });
  if (mine !== asked) return;
  if (found === null) { if (version >= 0) count.textContent = "that cannot be asked: write name=value, name>value or name~part"; return; }
  const first = version < 0;
  if (found.version !== version) fields();
  version = found.version;
  if (first) page();
  draw(found, now);
}

// what runs can be grouped by grows with the runs
async function fields() {
  const found = await get("/api/fields", { quiet: true });
  if (!found) return;
  const chosen = read().group || "", known = [...group.options].slice(1).map((option) => option.value);
  if (known.join() === found.fields.join()) return;
  group.replaceChildren(el("option", { value: "" }, "nothing"), ...found.fields.map((name) => el("option", { value: name, selected: name === chosen }, name)));
}

function draw(found, now) {
  count.textContent = found.of === 0 ? "no runs yet" : `${found.total.toLocaleString("en")} of ${found.of.toLocaleString("en")} runs`;
  const focused = document.activeElement && document.activeElement.dataset ? document.activeElement.dataset.folder : null;
  const head = el("tr", {}, el("th", { class: "check", scope: "col" }, el("span", { class: "soft" }, "")), found.columns.map((column) => header(column, now.sort || "-started")));
  const rows = [];
  let last = null;
  for (const run of found.rows) {
    if (now.group && run.group !== last) {
      last = run.group;
      const size = (found.groups.find((one) => one.value === last) || {}).count;
      rows.push(el("tr", { class: "group" }, el("th", { scope: "rowgroup", colspan: found.columns.length + 1 }, `${now.group} = ${last} `, el("span", { class: "soft" }, `${size} run${size === 1 ? "" : "s"}`))));
    }
    rows.push(row(run, found.columns));
  }
  table.replaceChildren(el("thead", {}, head), el("tbody", {}, rows));
  if (focused) for (const link of table.querySelectorAll("[data-folder]")) if (link.dataset.folder === focused) { link.focus(); break; }
  more.hidden = found.rows.length >= found.total || shown >= 500;
  if (shown >= 500 && found.total > 500) count.textContent += ": the first 500 are shown, search for the others";
  if (found.of === 0) table.replaceChildren(el("caption", { class: "soft" }, "Make one: assay run -- python train.py"));
  const troubled = Object.entries(found.problems);
  troubles.replaceChildren(...(troubled.length ? [problem(`${troubled.length} folder${troubled.length === 1 ? "" : "s"} cannot be shown`), el("ul", {}, troubled.map(([name, why]) => el("li", { class: "small" }, `${name}: ${why}`)))] : []));
  choose();
}

function header(column, sort) {
  const name = sort.replace(/^-/, ""), down = sort.startsWith("-");
  const order = name !== column.field ? null : down ? "descending" : "ascending";
  const next = order === "descending" ? column.field : "-" + column.field;
  return el("th", { scope: "col", class: column.right ? "number" : "", "aria-sort": order, data: { field: column.field } },
    el("button", { type: "button", title: `sort by ${column.heading}`, on: { click: () => change({ sort: next === "-started" ? "" : next }) } }, column.heading + (order ? (down ? " ▾" : " ▴") : "")));
}

function row(run, columns) {
  const box = el("input", { type: "checkbox", "aria-label": `choose ${run.cells[0]}`, data: { pick: run.folder }, on: { change: () => { if (box.checked) ticked.add(run.folder); else ticked.delete(run.folder); choose(); } } });
  box.checked = ticked.has(run.folder);
  return el("tr", {}, el("td", { class: "check" }, box), columns.map((column, at) => {
    const text = run.cells[at];
    const link = column.field === "name" ? runLink(run.folder, text) : null;
    if (link) link.dataset.folder = run.folder;
    const inside = link || (column.field === "status" && text ? mark(text) : text);
    return el("td", { class: column.right ? "number" : "", data: { field: column.field }, title: text.length > 30 ? text : null }, inside);
  }));
}

function choose() {
  const chosen = [...ticked];
  compare.setAttribute("href", "/compare?runs=" + chosen.map(encodeURIComponent).join(","));
  compare.setAttribute("aria-disabled", String(chosen.length < 2));
  compare.textContent = chosen.length ? `compare ${chosen.length}` : "compare: tick runs";
}

function page() {
  show(el("h1", {}, "Runs"),
    el("div", { class: "controls", role: "search" },
      el("label", { class: "grow", for: "search" }, "search", search),
      el("label", { for: "state" }, "status", state),
      el("label", { class: "grow", for: "where" }, "only where", where),
      el("label", { for: "group" }, "group by", group),
      compare),
    troubles, count, el("div", { class: "scroll" }, table), el("p", {}, more));
  follow(`/api/changes?after=${version}`, rarely((now) => { if (now !== version) load(); }, 400));
}

addEventListener("popstate", load);
addEventListener("keydown", (event) => {
  if (event.key === "/" && !/^(input|select|textarea)$/i.test(event.target.tagName)) { event.preventDefault(); search.focus(); }
});
connected(null);
load();
