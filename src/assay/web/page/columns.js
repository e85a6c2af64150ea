// Which columns the list has: chosen once, remembered by this browser.
import { el, get } from "./parts.js";
import { dialog } from "./edit.js";

const KEPT = "assay-columns";
export const chosenColumns = () => localStorage.getItem(KEPT) || "";

export async function columnsDialog(now, changed) {
  const found = await get("/api/fields", { quiet: true });
  if (!found) return;
  const chosen = new Set(now);
  const names = [...new Set([...now, ...found.columns])].filter((name) => name !== "name");
  const boxes = names.map((name) => el("label", { class: "inline" }, el("input", { type: "checkbox", checked: chosen.has(name), data: { column: name }, on: { change: (event) => { if (event.target.checked) chosen.add(name); else chosen.delete(name); } } }), ` ${name}`));
  const shown = el("div", { class: "choices" }, boxes);
  const find = el("input", { type: "search", "aria-label": "find a column", placeholder: "find a column", on: { input: () => { for (const box of boxes) box.hidden = !box.textContent.includes(find.value); } } });
  const done = (value) => { if (value) localStorage.setItem(KEPT, value); else localStorage.removeItem(KEPT); made.close(); changed(); };
  const made = dialog("Columns", [find, shown], [
    el("button", { type: "button", class: "primary", on: { click: () => done([...chosen].join(",")) } }, "Show these"),
    el("button", { type: "button", on: { click: () => done("") } }, "Automatic")]);
}
