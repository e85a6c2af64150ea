// What all pages share. Text becomes text: there is no way here to make markup of it.
export function el(tag, props, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(props || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name === "on") for (const [event, handler] of Object.entries(value)) made.addEventListener(event, handler);
    else if (name === "data") Object.assign(made.dataset, value);
    else made.setAttribute(name === "class" ? "class" : name, value === true ? "" : String(value));
  }
  for (const child of children.flat()) if (child !== null && child !== undefined) made.append(child instanceof Node ? child : String(child));
  return made;
}

export const main = document.getElementById("main");

export function show(...parts) { main.replaceChildren(...parts.flat().filter(Boolean)); }

export function problem(text, hint) {
  return el("div", { class: "problem", role: "alert" }, el("p", {}, text), hint ? el("p", { class: "soft" }, hint) : null);
}

export const mark = (word) => el("span", { class: `mark ${/^[a-z]+$/.test(word) ? word : ""}` }, word);

export const runLink = (folder, text, query = "") => el("a", { href: `/run/${encodeURIComponent(folder)}${query}` }, text);

const pause = (ms) => new Promise((done) => setTimeout(done, ms));

// JSON of ours. While the server still works on it, says how far; null where it cannot be had, and that is shown.
export async function get(path, { quiet = false } = {}) {
  for (;;) {
    let answer, value;
    try {
      answer = await fetch(path, { headers: { accept: "application/json" } });
      value = (answer.headers.get("content-type") || "").includes("json") ? await answer.json() : { error: await answer.text() };
    } catch {
      connected(false);
      if (quiet) return null;
      await pause(1000);
      continue;
    }
    if (answer.status === 202) {
      if (!quiet) progress(value.building);
      await pause(250);
      continue;
    }
    if (answer.ok) return value;
    if (!quiet) show(problem(value.error || `error ${answer.status}`, value.hint), el("p", {}, el("a", { href: "/" }, "all runs")));
    return null;
  }
}

function progress(share) {
  const text = "reading the run for the first time; after this it opens at once";
  show(el("p", { role: "status" }, share ? text : "reading…"), el("progress", { max: 1, value: share || null, "aria-label": "how much is read" }));
}

export function connected(yes, word) {
  const sign = document.getElementById("live");
  sign.className = `small ${yes ? "on" : "off"}`;
  sign.hidden = yes === null;
  sign.textContent = yes === null ? "" : yes ? word || "live" : "not connected";
}

// Server-sent events. The browser reconnects by itself and says which one it had last.
export function follow(path, handler, word) {
  const source = new EventSource(path);
  source.onopen = () => connected(true, word);
  source.onerror = () => connected(false);
  source.onmessage = (event) => handler(JSON.parse(event.data));
  addEventListener("pagehide", () => source.close());
  return source;
}

export function rarely(work, ms) {
  let waiting = null, last = 0;
  return (...given) => {
    if (waiting) return;
    waiting = setTimeout(() => { waiting = null; last = performance.now(); work(...given); }, Math.max(0, ms - (performance.now() - last)));
  };
}

export function finding(one) {
  const proofs = (one.evidence || []).map((proof) => el("li", {}, `${proof.source}${proof.line ? ":" + proof.line : ""} ${proof.text}`));
  return el("article", { class: `finding ${one.severity}` },
    el("p", {}, mark(one.severity), " ", el("strong", {}, one.code), " ", one.message, one.folder ? [" · ", runLink(one.folder, one.name)] : null),
    proofs.length ? el("ol", { class: "evidence" }, proofs) : null,
    el("p", { class: "soft" }, "→ " + one.hint));
}

function begin() {
  for (const link of document.querySelectorAll("header.bar nav a[data-page]"))
    if (link.dataset.page === document.documentElement.dataset.page) link.setAttribute("aria-current", "page");
  const kept = localStorage.getItem("assay-mode");
  if (kept) document.documentElement.dataset.theme = kept;
  document.getElementById("mode").addEventListener("click", () => {
    const chosen = document.documentElement.dataset.theme;
    const dark = chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    document.documentElement.dataset.theme = dark ? "light" : "dark";
    localStorage.setItem("assay-mode", document.documentElement.dataset.theme);
    if (window.assayCharts) window.assayCharts.redraw(".chart");
  });
}
begin();
