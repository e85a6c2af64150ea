// Names, tags, notes, and what is deleted: asked for in a dialog, done by the server.
import { counted, el, get, post } from "./parts.js";

// A dialog with a close button; it leaves the page when it is closed.
export function dialog(title, body, buttons) {
  const made = el("dialog", { "aria-label": title }, el("h2", {}, title), body, el("p", { class: "row" }, buttons, el("button", { type: "button", on: { click: () => made.close() } }, "Cancel")));
  made.addEventListener("close", () => made.remove());
  document.body.append(made);
  made.showModal();
  return made;
}

const failed = (found) => el("p", { class: "problem", role: "alert" }, [found.error, found.hint].filter(Boolean).join(". "));

export async function labelDialog(folders, done) {
  const alone = folders.length === 1, now = alone ? await get(`/api/run/${encodeURIComponent(folders[0])}`, { quiet: true }) : null;
  const label = (now && now.label) || { name: "", tags: [], note: "" };
  const name = el("input", { type: "text", value: label.name, maxlength: 200 });
  const tags = el("input", { type: "text", value: label.tags.join(", "), placeholder: "baseline, paper" });
  const note = el("textarea", { rows: 4, maxlength: 4000 }, label.note || "");
  const says = el("div", {});
  const save = async () => {
    const list = tags.value.split(",").map((text) => text.trim()).filter(Boolean), moved = [];
    for (const folder of folders) {
      const found = await post(`/api/run/${encodeURIComponent(folder)}/label`, alone ? { ...(name.value !== label.name ? { name: name.value } : {}), tags: list, note: note.value } : { tags: list });
      if (found.error) { says.replaceChildren(failed(found)); return; }
      moved.push(found.folder);
    }
    made.close();
    done(folders.filter((folder) => !moved.includes(folder)), moved);
  };
  const made = dialog(alone ? `Rename, tag, note: ${label.name}` : `Tag ${counted(folders.length, "run")}`,
    [alone ? el("label", {}, "Name", name) : null, el("label", {}, "Tags, with commas between them", tags), alone ? el("label", {}, "Note", note) : null, says],
    [el("button", { type: "button", class: "primary", id: "save", on: { click: save } }, "Save")]);
}

export function removeDialog(folders, done) {
  const says = el("div", {});
  const remove = async () => {
    const found = await post("/api/remove", { runs: folders });
    if (found.error) { says.replaceChildren(failed(found)); return; }
    made.close();
    done(folders, []);
  };
  const made = dialog(`Delete ${counted(folders.length, "run")}?`, [el("p", {}, folders.slice(0, 6).join(", "), folders.length > 6 ? ` and ${folders.length - 6} more` : ""), el("p", {}, "Their folders are removed for good."), says],
    [el("button", { type: "button", class: "danger", id: "really", on: { click: remove } }, "Delete for good")]);
}
