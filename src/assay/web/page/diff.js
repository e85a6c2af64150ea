// What differs between two runs, as `assay diff` tells it.
import { el, get, patch, runLink } from "./parts.js";
import { query } from "./state.js";

export class Diff {
  constructor() { this.place = el("div", { id: "diff" }); }

  async load(a, b) {
    const told = (error, hint) => patch(this.place, el("p", { class: "problem" }, [error, hint].filter(Boolean).join(". ")));
    const found = await get("/api/diff?" + query({ a, b }), { quiet: true, told });
    if (found) patch(this.place, found.none ? el("p", {}, "No other run is of the same study or program. Choose one above to see what differs.") : this.body(found));
    return found;
  }

  body(found) {
    const nothing = !found.sections.length && !found.code;
    return [
      el("p", {}, el("strong", {}, "A "), runLink(found.a.folder, found.a.name), "   ", el("strong", {}, "B "), runLink(found.b.folder, found.b.name)),
      nothing ? el("p", {}, "Settings, code, packages and machine are the same.") : null,
      found.sections.slice(0, 2).map(section), this.code(found), found.sections.slice(2).map(section),
      found.results.length ? el("details", {}, el("summary", {}, "Results of the two runs"), rows("Results", ["", "A", "B", "difference"], found.results.map(([label, a, b, apart]) => [label, a, b, apart]))) : null,
      found.closing.map((text) => el("p", { class: "soft small" }, text))];
  }

  code(found) {
    if (!found.code) return null;
    return [el("h3", {}, found.code), found.files.map((file) => el("details", { data: { key: file.path } }, el("summary", {}, `${file.path}: ${file.kind}${file.problem ? "; " + file.problem : ""}`),
      el("pre", { class: "diff", tabindex: "0" }, file.lines.map((line) => el("span", { class: { "+": "added", "-": "removed", "@": "place" }[line[0]] || "" }, line + "\n"))), file.more ? el("p", { class: "soft" }, `… and ${file.more} more lines`) : null))];
  }
}

const notSet = (text) => text === null ? "not set" : text;

function section({ title, changes }) {
  const made = rows(title, ["", "A", "B"], changes.map(([name, a, b, how]) => [how ? `${name} (${how})` : name, notSet(a), notSet(b)]));
  return changes.length > 12 ? el("details", { data: { key: title } }, el("summary", {}, `${title}: ${changes.length} differ`), made) : [el("h3", {}, title), made];
}

function rows(title, heads, body) {
  return el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": title }, el("table", {}, el("thead", {}, el("tr", {}, heads.map((text) => text ? el("th", { scope: "col" }, text) : el("td", {})))),
    el("tbody", {}, body.map(([name, ...cells]) => el("tr", {}, el("th", { scope: "row" }, name), cells.map((text) => el("td", { class: "long" }, text)))))));
}
