// Draws every `.chart` when it is reached. Data are columns, embedded once and turned into rows when first drawn.
"use strict";
(() => {
  const rowsOf = new Map();
  const views = new Map();

  function rows(name) {
    if (!rowsOf.has(name)) {
      const columns = Object.fromEntries(Object.entries(window.ASSAY.data[name] || {}).map(([key, values]) => [key, Array.isArray(values) ? values : values.at.map((place) => values.of[place])]));
      const names = Object.keys(columns);
      const count = names.length ? columns[names[0]].length : 0;
      const found = new Array(count);
      for (let i = 0; i < count; i++) {
        const row = {};
        for (const key of names) row[key] = columns[key][i];
        found[i] = row;
      }
      rowsOf.set(name, found);
    }
    return rowsOf.get(name);
  }

  function dark() {
    const chosen = document.documentElement.dataset.theme;
    return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  }

  function config() {
    const style = getComputedStyle(document.documentElement);
    const ink = style.getPropertyValue("--ink").trim(), line = style.getPropertyValue("--line").trim();
    return {
      background: "transparent",
      axis: { labelColor: ink, titleColor: ink, gridColor: line, domainColor: line, tickColor: line, labelFontSize: 12, titleFontSize: 12, labelOverlap: true },
      legend: { labelColor: ink, titleColor: ink, labelFontSize: 12 }, view: { stroke: null },
      font: "system-ui, sans-serif",
    };
  }

  function prepared(element) {
    const spec = structuredClone(window.ASSAY.charts[element.dataset.chart]);
    const axes = spec.usermeta && spec.usermeta.axes;
    const axis = document.documentElement.dataset.axis;
    if (axes && axis && spec.encoding && spec.encoding.x.field !== axis) {
      const old = spec.encoding.x.field;
      spec.encoding.x = { ...spec.encoding.x, field: axis, title: axes[axis] };
      spec.transform = [{ filter: `isValid(datum['${spec.usermeta.figure}']) && isValid(datum['${axis}'])` }];
      for (const tip of spec.encoding.tooltip || []) if (tip.field === old) tip.field = axis;
    }
    const run = element.dataset.run;
    const give = (part) => {
      if (part.data && part.data.name) {
        const all = rows(part.data.name);
        part.data = { name: part.data.name, values: run ? all.filter((row) => row.run === run) : all };
      }
      for (const layer of part.layer || []) give(layer);
    };
    give(spec);
    return spec;
  }

  async function draw(element) {
    const before = views.get(element);
    if (before) before.finalize();
    try {
      // `ast`: expressions are interpreted, so that no page needs the right to make code of text
      const options = { actions: false, renderer: "canvas", config: { ...config(), autosize: { type: "fit-x", contains: "padding" } }, logLevel: 1, ast: true, ...(window.ASSAY.embed || {}) };
      const result = await window.vegaEmbed(element, prepared(element), options);
      views.set(element, result);
      element.dataset.drawn = "yes";
    } catch (problem) {
      element.textContent = "this chart could not be drawn: " + problem.message;
      element.dataset.drawn = "failed";
    }
  }

  const watcher = new IntersectionObserver((entries) => {
    for (const entry of entries) if (entry.isIntersecting) { watcher.unobserve(entry.target); draw(entry.target); }
  }, { rootMargin: "200px" });

  function redraw(selector) {
    for (const element of document.querySelectorAll(selector)) if (element.dataset.drawn) draw(element);
  }

  // New rows for charts that are drawn: their marks move, nothing is built again.
  async function update(name) {
    for (const [element, result] of views) {
      if (!element.isConnected) { result.finalize(); views.delete(element); continue; }
      const run = element.dataset.run, all = rows(name);
      try {
        result.view.data(name, run ? all.filter((row) => row.run === run) : all);
      } catch { continue; }  // it shows other data
      await result.view.runAsync();
    }
  }

  function pressed(group, chosen) {
    for (const button of group.querySelectorAll("button")) button.setAttribute("aria-pressed", String(button === chosen));
  }

  document.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (!button) return;
    if (button.dataset.axis) {
      document.documentElement.dataset.axis = button.dataset.axis;
      pressed(button.parentElement, button);
      redraw(".chart[data-follows-axis]");
    }
    if (button.dataset.theme) {
      document.documentElement.dataset.theme = dark() ? "light" : "dark";
      redraw(".chart");
    }
  });
  document.addEventListener("change", (event) => {
    if (event.target.matches("select[data-chooses-run]")) {
      for (const element of document.querySelectorAll(".chart[data-run]")) {
        element.dataset.run = event.target.value;
        if (element.dataset.drawn) draw(element);
      }
    }
  });
  addEventListener("beforeprint", () => { for (const element of document.querySelectorAll(".chart")) if (!element.dataset.drawn) draw(element); });

  window.assayCharts = {
    watch(root) { for (const element of root.querySelectorAll(".chart")) watcher.observe(element); },
    replace(name, columns) { window.ASSAY.data[name] = columns; rowsOf.delete(name); },
    redraw,
    draw,
    update,
  };
  if (document.readyState === "loading") addEventListener("DOMContentLoaded", () => window.assayCharts.watch(document));
  else window.assayCharts.watch(document);
})();
