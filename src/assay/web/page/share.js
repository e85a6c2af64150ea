// How to hand on what one sees: the link holds the whole view, and a report needs no server.
import { el } from "./parts.js";

export function share(command) {
  const says = el("span", { role: "status", class: "soft small" });
  const copy = (text) => async () => {
    try { await navigator.clipboard.writeText(text()); says.textContent = "copied"; } catch { says.textContent = "Copy it from the address bar"; }
  };
  return el("details", { class: "share" }, el("summary", {}, "Share"),
    el("p", { class: "row" }, el("button", { type: "button", on: { click: copy(() => location.href) } }, "Copy the link to this view"), says),
    el("p", { class: "small" }, "As a file that needs no server: ", el("code", {}, command), " ", el("button", { type: "button", class: "tiny", on: { click: copy(() => command) } }, "Copy")));
}
