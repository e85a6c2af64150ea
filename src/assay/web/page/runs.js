// The first screen: what runs now, what the last study came to, what needs attention, and all runs.
import { el, follow, get, rarely, show, titled } from "./parts.js";
import { Table } from "./table.js";
import { now, attention, answer } from "./home.js";

let version = -1;
const running = el("section", { id: "now", "aria-label": "running now" });
const told = el("section", { id: "told", "aria-label": "last study" });
const warned = el("section", { id: "warned", "aria-label": "needs attention" });
const table = new Table();

async function changed(latest) {
  if (latest === version) return;
  await Promise.all([table.load(), now(running)]);
  version = table.version;
  seldom();
}

const seldom = rarely(() => { answer(told); attention(warned); }, 3000);

async function begin() {
  if (!await table.load(true)) return;
  version = table.version;
  titled("Runs");
  show(el("h1", { class: "visually-hidden" }, "Runs"), el("div", { class: "two" }, running, told, warned), table.node);
  table.shown();
  now(running);
  seldom();
  follow(`/api/changes?after=${version}`, rarely(changed, 400));
}

begin();
