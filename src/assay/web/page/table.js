// All runs as a table of which only the rows in view exist: searched, narrowed, sorted and grouped by the server.
import { comparePath, counted, el, get, mark, patch, problem, rarely, runLink } from "./parts.js";
import { spark } from "./spark.js";
import { query, read, write } from "./state.js";
import { labelDialog, removeDialog } from "./edit.js";
import { chosenColumns, columnsDialog } from "./columns.js";

const STATES = ["running", "queued", "completed", "failed", "interrupted", "unfinished"];
const ROW = 33, PIECE = 100, AROUND = 12;

export class Table {
  constructor() {
    this.version = -1;
    this.pieces = new Map();
    this.sparks = new Map();
    this.ticked = new Set((read().runs || sessionStorage.getItem("assay-ticked") || "").split(",").filter(Boolean));
    this.asked = 0;
    this.found = { total: 0, of: 0, columns: [], groups: [], problems: {} };
    this.make();
  }

  make() {
    const find = rarely(() => this.change({}), 150), type = () => { write({ q: this.search.value }); find(); };  // the address at once: someone may leave before the answer
    this.words = el("datalist", { id: "words" });
    this.search = el("input", { type: "search", id: "search", list: "words", placeholder: "name, tag, setting=value …   ( / )", value: read().q || "", on: { input: type } });
    this.where = el("input", { type: "text", id: "where", placeholder: "batch_size>=512; loss<2", value: whereText(), on: { change: () => this.change({ where: this.conditions() }) } });
    this.state = el("select", { id: "state", on: { change: () => this.change({ where: this.conditions() }) } }, el("option", { value: "" }, "any"), STATES.map((name) => el("option", { value: name, selected: stateText() === name }, name)));
    this.group = el("select", { id: "group", on: { change: () => this.change({ group: this.group.value }) } }, el("option", { value: "" }, "nothing"));
    this.count = el("p", { class: "soft", role: "status", id: "count" });
    this.actions = el("div", { class: "row", id: "actions" });
    this.troubles = el("div", {});
    this.head = el("thead", {});
    this.body = el("tbody", {});
    this.table = el("table", { class: "runs", "aria-label": "runs" }, this.head, this.body);
    this.scroller = el("div", { class: "scroller", tabindex: "0", role: "region", "aria-label": "list of runs", on: { keydown: (event) => this.key(event) } }, this.table);
    this.scroller.addEventListener("scroll", () => this.draw(), { passive: true });
    this.node = el("section", { id: "runs" },
      el("div", { class: "controls", role: "search" },
        el("label", { class: "grow", for: "search" }, "Search", this.search), this.words,
        el("label", { for: "state" }, "Status", this.state),
        el("label", { class: "grow", for: "where" }, "Filters", this.where),
        el("label", { for: "group" }, "Group by", this.group),
        el("button", { type: "button", id: "columns", on: { click: () => columnsDialog(this.found.columns.map((one) => one.field), () => this.load()) } }, "Columns…")),
      this.troubles, el("div", { class: "row spread" }, this.count, this.actions), this.scroller);
    addEventListener("popstate", () => this.load());
    addEventListener("keydown", (event) => {
      if (event.key === "/" && !/^(input|select|textarea)$/i.test(event.target.tagName)) { event.preventDefault(); this.search.focus(); }
    });
  }

  conditions() {
    return [this.state.value ? `status=${this.state.value}` : "", ...this.where.value.split(";").map((text) => text.trim())].filter(Boolean).join(";");
  }

  change(values) {
    write(values);
    this.scroller.scrollTop = 0;
    this.load();
  }

  ask(offset) {
    const now = read();
    return query({ q: now.q, where: now.where, sort: now.sort, group: now.group, columns: now.columns || chosenColumns(), limit: PIECE, offset });
  }

  // The piece that is in view; the others are asked for when someone scrolls to them.
  async load(first = false) {
    const mine = ++this.asked, piece = Math.max(0, Math.floor(this.top() / PIECE));
    const told = (text, hint) => { if (mine === this.asked) this.count.textContent = [text, hint].filter(Boolean).join(". "); };
    const found = await get("/api/runs?" + this.ask(piece * PIECE), first ? {} : { quiet: true, told });
    if (found === null || mine !== this.asked) return false;
    if (found.version !== this.version) setTimeout(() => this.learn(), first ? 500 : 0);
    this.version = found.version;
    this.found = found;
    this.pieces = new Map([[piece, found.rows]]);
    this.drawn = "";
    this.tell();
    this.draw();
    return true;
  }

  // The other pieces in view, one question each.
  async fetch(piece) {
    const mine = this.asked;
    this.pieces.set(piece, null);
    const found = await get("/api/runs?" + this.ask(piece * PIECE), { quiet: true });
    if (!found || mine !== this.asked) return;
    this.pieces.set(piece, found.rows);
    this.draw();
  }

  // what runs can be grouped by and searched for grows with the runs
  learn = rarely(async () => {
    const found = await get("/api/fields", { quiet: true });
    if (!found) return;
    const now = read().group || "";
    if (document.activeElement !== this.group) patch(this.group, el("option", { value: "" }, "nothing"), found.fields.map((name) => el("option", { value: name, selected: name === now }, name)));
    this.group.value = now;
    patch(this.words, found.words.map((word) => el("option", { value: word })));
  }, 1000);

  tell() {
    const { total, of, problems } = this.found, now = read(), sort = now.sort || "-started";
    this.count.textContent = of === 0 ? "No runs yet" : `${total.toLocaleString("en")} of ${counted(of, "run")}`;
    const troubled = Object.entries(problems);
    patch(this.troubles, of === 0 ? el("p", { id: "empty" }, "Start one in a terminal: ", el("code", {}, "assay run -- python train.py")) : null,
      troubled.length ? [problem(`${counted(troubled.length, "folder")} cannot be shown`), el("ul", {}, troubled.map(([name, why]) => el("li", { class: "small" }, `${name}: ${why}`)))] : null);
    this.scroller.hidden = of === 0;
    patch(this.head, el("tr", {}, el("th", { class: "check", scope: "col" }, el("input", { type: "checkbox", "aria-label": "select all runs in view", id: "all", on: { change: (event) => this.all(event.target.checked) } })),
      this.found.columns.flatMap((column) => [this.header(column, sort), column.field === "name" ? el("th", { scope: "col", class: "curve" }, "curve") : null])));
    this.table.setAttribute("aria-rowcount", total + 1);
    this.choose();
  }

  header(column, sort) {
    const name = sort.replace(/^-/, ""), down = sort.startsWith("-");
    const order = name !== column.field ? null : down ? "descending" : "ascending", next = order === "descending" ? column.field : "-" + column.field;
    return el("th", { scope: "col", class: column.right ? "number" : "", "aria-sort": order, data: { field: column.field, key: column.field } },
      el("button", { type: "button", title: `sort by ${column.heading}`, on: { click: () => this.change({ sort: next === "-started" ? "" : next }) } }, column.heading + (order ? (down ? " ▾" : " ▴") : "")));
  }

  top() { return Math.max(0, Math.floor(this.scroller.scrollTop / ROW) - AROUND); }

  shown() { this.draw(); }

  draw() {
    const total = this.found.total, first = Math.min(this.top(), Math.max(0, total - 1));
    const last = Math.min(total, first + Math.ceil((this.scroller.clientHeight || 600) / ROW) + 2 * AROUND);
    for (let piece = Math.floor(first / PIECE); piece * PIECE < last; piece++) if (!this.pieces.has(piece)) this.fetch(piece);
    const rows = [], group = read().group;
    for (let at = first; at < last; at++) {
      const run = (this.pieces.get(Math.floor(at / PIECE)) || [])[at % PIECE];
      if (!run) { rows.push(el("tr", { class: "waiting", data: { key: `wait-${at}` } }, el("td", { colspan: this.wide() }, "…"))); continue; }
      const before = at ? (this.pieces.get(Math.floor((at - 1) / PIECE)) || [])[(at - 1) % PIECE] : null;
      if (group && (!before || before.group !== run.group)) rows.push(this.heading(group, run.group));
      rows.push(this.row(run, at));
    }
    const space = (height, key) => height > 0 ? el("tr", { class: "space", "aria-hidden": "true", data: { key } }, el("td", { colspan: this.wide(), style: { height: `${height}px` } })) : null;
    patch(this.body, space(first * ROW, "above"), rows, space((total - last) * ROW, "below"));
    this.curves();
  }

  wide() { return this.found.columns.length + 2; }

  heading(group, value) {
    const size = (this.found.groups.find((one) => one.value === value) || {}).count || 0;
    return el("tr", { class: "group", data: { key: `group-${value}` } }, el("th", { scope: "rowgroup", colspan: this.wide() }, `${group} = ${value} `, el("span", { class: "soft" }, counted(size, "run"))));
  }

  row(run, at) {
    const box = el("input", { type: "checkbox", checked: this.ticked.has(run.folder), "aria-label": `select ${run.cells[0]}`, data: { pick: run.folder }, on: { change: (event) => this.tick(run.folder, event.target.checked) } });
    const cells = this.found.columns.flatMap((column, place) => {
      const text = run.cells[place];
      const inside = column.field === "name" ? Object.assign(runLink(run.folder, text)) : column.field === "status" && text ? mark(text) : text;
      const cell = el("td", { class: column.right ? "number" : "", data: { field: column.field }, title: text.length > 24 ? text : null }, inside);
      return column.field === "name" ? [cell, el("td", { class: "curve" }, spark((this.sparks.get(run.folder) || {}).values))] : [cell];
    });
    return el("tr", { class: this.ticked.has(run.folder) ? "ticked" : "", "aria-rowindex": at + 2, data: { key: run.folder, folder: run.folder } }, el("td", { class: "check" }, box), cells);
  }

  // the small curves of the rows in view, asked for once
  curves = rarely(async () => {
    const rows = [...this.body.querySelectorAll("tr[data-folder]")].map((row) => row.dataset.folder);
    const live = new Set([...this.pieces.values()].flat().filter((run) => run && run.status === "running").map((run) => run.folder));
    const wanted = rows.filter((folder) => !this.sparks.has(folder) || (live.has(folder) && this.sparks.get(folder).version !== this.version));
    if (!wanted.length) return;
    for (const folder of wanted) this.sparks.set(folder, { ...(this.sparks.get(folder) || {}), version: this.version });
    const found = await get("/api/sparks?runs=" + wanted.slice(0, 100).map(encodeURIComponent).join(","), { quiet: true });
    if (!found) return;
    for (const [folder, one] of Object.entries(found.sparks)) this.sparks.set(folder, { ...(one || {}), version: this.version });
    this.draw();
  }, 120);

  all(yes) {
    for (const box of this.body.querySelectorAll("input[data-pick]")) if (yes) this.ticked.add(box.dataset.pick); else this.ticked.delete(box.dataset.pick);
    this.chosen();
  }

  tick(folder, yes) {
    if (yes) this.ticked.add(folder); else this.ticked.delete(folder);
    this.chosen();
  }

  // what is selected survives going to another page and back
  chosen() {
    sessionStorage.setItem("assay-ticked", [...this.ticked].join(","));
    this.draw();
    this.choose();
  }

  choose() {
    const runs = [...this.ticked], named = `${runs.length} selected`;
    const change = (dialog) => () => dialog(runs, (gone) => { for (const folder of gone) this.ticked.delete(folder); this.chosen(); this.load(); });
    patch(this.actions,
      runs.length ? el("span", { class: "soft" }, named) : el("span", { class: "soft small hint" }, "Select runs to compare, tag or delete them (↑ ↓ and space work, too)"),
      runs.length > 1 ? el("a", { class: "button primary", id: "compare", href: comparePath(runs) }, `Compare ${runs.length}`) : null,
      runs.length ? [el("button", { type: "button", id: "label", on: { click: change(labelDialog) } }, runs.length === 1 ? "Rename, tag, note…" : "Tag…"), el("button", { type: "button", id: "remove", class: "danger", on: { click: change(removeDialog) } }, "Delete…"),
        el("button", { type: "button", on: { click: () => { this.ticked.clear(); this.chosen(); } } }, "Clear")] : null);
  }

  key(event) {
    const row = event.target.closest("tr[data-folder]"), rows = [...this.body.querySelectorAll("tr[data-folder]")];
    const at = row ? rows.indexOf(row) : -1;
    const step = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 }[event.key];
    if (step) {
      event.preventDefault();
      const next = rows[row ? at + step : 0];
      if (next) { const wanted = next.querySelector(event.target.matches("input") ? "input" : "a"); wanted.focus({ preventScroll: true }); next.scrollIntoView({ block: "nearest" }); }
    } else if (row && (event.key === " " || event.key === "x") && !event.target.matches("input, button")) {
      event.preventDefault();
      this.tick(row.dataset.folder, !this.ticked.has(row.dataset.folder));
    } else if (event.key === "c" && this.ticked.size > 1) location.href = comparePath([...this.ticked]);
  }
}

function parts() { return (read().where || "").split(";").map((text) => text.trim()).filter(Boolean); }
function stateText() { return (parts().find((text) => text.startsWith("status=")) || "").slice(7); }
function whereText() { return parts().filter((text) => !text.startsWith("status=")).join("; "); }
