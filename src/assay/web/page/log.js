// The output of a run: its end as it grows, lines about a number, and where a word stands.
import { bytes, el, get, rarely } from "./parts.js";
import { query, read, write } from "./state.js";

const MOST = 4000;

export class Log {
  // expects: more may come
  constructor(folder, expects) {
    this.expects = expects;
    this.base = `/api/run/${encodeURIComponent(folder)}/log?`;
    this.begin = null;
    this.box = el("div", { class: "log", role: "log", "aria-label": "output", tabindex: "0" });
    this.older = el("button", { type: "button", on: { click: () => this.before() } }, "Older lines");
    this.end = el("button", { type: "button", on: { click: () => { write({ line: "", find: "" }); this.find.value = ""; this.last(); } } }, "To the end");
    this.find = el("input", { type: "search", id: "find", placeholder: "a word of the output", value: read().find || "", on: { input: rarely(() => { write({ find: this.find.value, line: "" }); this.search(); }, 250) } });
    this.says = el("p", { class: "soft small", role: "status" });
    this.tools = el("div", { class: "controls" }, el("label", { class: "grow", for: "find" }, "Find", this.find), this.older, this.end);
    this.node = el("section", { id: "output" }, el("h2", {}, "Output"), this.tools, this.says, this.box);
    this.live = true;
    this.turn = 0;  // what was asked for last is what is shown, whichever answer comes first
  }

  begun() {
    const now = read();
    if (now.find) this.search(); else if (now.line) this.at(Number(now.line)); else this.last();
  }

  put(lines, first = null, here = null) {
    this.box.replaceChildren(...lines.map((text, at) => this.row(text, first === null ? null : first + at, here)));
  }

  row(text, number, here) {
    return el("div", { class: number !== null && number === here ? "here" : "" }, number === null ? null : el("span", { class: "number" }, number), text);
  }

  async last() {
    const mine = ++this.turn, found = await get(this.base + query({ lines: 300 }), { quiet: true });
    if (!found || mine !== this.turn) return;
    this.live = true;
    this.begin = found.begin;
    this.put(found.lines);
    this.says.textContent = found.size ? bytes(found.size) : "Nothing was printed";
    this.older.hidden = !found.begin;
    this.box.hidden = this.tools.hidden = !found.size && !this.expects;
    this.box.scrollTop = this.box.scrollHeight;
  }

  async before() {
    const mine = this.turn, found = await get(this.base + query({ lines: 300, end: this.begin }), { quiet: true });
    if (!found || mine !== this.turn) return;
    const height = this.box.scrollHeight;
    this.begin = found.begin;
    this.older.hidden = !found.begin;
    this.box.prepend(...found.lines.map((text) => this.row(text, null, null)));
    this.box.scrollTop = this.box.scrollHeight - height;
  }

  async at(line) {
    const mine = ++this.turn, found = await get(this.base + query({ line, lines: 200 }), { quiet: true });
    if (!found || mine !== this.turn) return;
    this.live = false;
    this.begin = found.begin;
    this.older.hidden = !found.begin;
    this.put(found.lines, found.first, line);
    this.says.textContent = `Around line ${line}`;
    const here = this.box.querySelector(".here");
    if (here) this.box.scrollTop = here.offsetTop - this.box.offsetTop - 80;
  }

  async search() {
    const wanted = this.find.value;
    if (!wanted) { this.last(); return; }
    this.live = false;
    this.older.hidden = true;
    const mine = ++this.turn;
    let at = 0, from = "", hits = [], found;
    do {
      found = await get(this.base + query({ find: wanted, at, from }), { quiet: true });
      if (!found || mine !== this.turn) return;
      hits = hits.concat(found.hits);
      at = found.at; from = found.line;
      const far = found.done ? "" : `, ${Math.round(100 * found.at / Math.max(1, found.size))} % read`;
      this.says.textContent = `${hits.length}${hits.length >= 200 ? " or more" : ""} lines contain it${far}`;
      this.box.replaceChildren(...hits.slice(0, 200).map((hit) => this.hit(hit, wanted)));
    } while (!found.done && hits.length < 200);
  }

  hit(hit, wanted) {
    const at = hit.text.toLowerCase().indexOf(wanted.toLowerCase());
    const parts = at < 0 ? [hit.text] : [hit.text.slice(0, at), el("mark", {}, hit.text.slice(at, at + wanted.length)), hit.text.slice(at + wanted.length)];
    const link = el("a", { class: "number", href: `?${query({ ...read(), find: "", line: hit.line })}#output`, on: { click: (event) => { event.preventDefault(); write({ line: hit.line, find: "" }); this.find.value = ""; this.at(hit.line); } } }, hit.line);
    return el("div", {}, link, parts);
  }

  grow(news) {
    if (!this.live) return;
    const low = this.box.scrollTop + this.box.clientHeight > this.box.scrollHeight - 30;
    if (news.skipped) this.box.append(this.row(`… ${bytes(news.skipped)} are not shown here …`, null, null));
    this.box.append(...news.lines.map((text) => this.row(text, null, null)));
    while (this.box.childElementCount > MOST) this.box.firstElementChild.remove();
    this.says.textContent = bytes(news.size);
    if (low) this.box.scrollTop = this.box.scrollHeight;
  }
}
