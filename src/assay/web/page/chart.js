// One chart: curves over a common axis, with a crosshair, zoom, pan, a logarithmic axis and downloads. Drawn by uPlot.
import { dark, el, number, patch } from "./parts.js";
import { asCsv, asPng, asSvg } from "./downloads.js";
import { read, write } from "./state.js";

// a chart that has the whole width to itself is taller
const tall = (width) => Math.round(Math.min(300, Math.max(190, 190 + (width - 560) * 0.16)));
export const COLOURS = 9;
const DASHES = [[], [7, 4], [2, 4]];
const charts = new Set();
// what is zoomed into, by the axis that charts share: {steps: [10, 20]}
const zooms = Object.fromEntries((read().zoom || "").split(",").filter(Boolean).map((text) => text.split(":")).map(([axis, low, high]) => [axis, [Number(low), Number(high)]]));

export function colour(place) {
  return getComputedStyle(document.documentElement).getPropertyValue(`--c${place % COLOURS}`).trim();
}
export const dash = (place) => DASHES[Math.floor(place / COLOURS) % DASHES.length];
const faded = (text, share) => text + Math.round(share * 255).toString(16).padStart(2, "0");

export function zoom(axis, range) {
  if (range) zooms[axis] = range; else delete zooms[axis];
  write({ zoom: Object.entries(zooms).map(([name, [low, high]]) => `${name}:${Number(low.toPrecision(7))}:${Number(high.toPrecision(7))}`).join(",") });
  for (const chart of charts) if (chart.axis.name === axis) chart.redraw();
}

const seen = new IntersectionObserver((entries) => {
  for (const entry of entries) {
    entry.target.assayChart.visible = entry.isIntersecting;
    if (entry.isIntersecting) entry.target.assayChart.draw();
  }
}, { rootMargin: "250px" });
const sized = new ResizeObserver((entries) => { for (const entry of entries) entry.target.assayChart.fit(); });
addEventListener("assay-theme", () => { for (const chart of charts) chart.rebuild(); });

export class Chart {
  // about: {id, title, unit, low, high}: what it is of, and what its values cannot be below or above; rest: what the
  // legend shows where nothing is pointed at, {word, value: of a curve}, instead of the last value
  constructor(about) {
    this.about = about;
    this.log = (read().log || "").split(",").includes(about.id);
    this.hidden = new Set();
    this.axis = { name: "", title: "" };
    this.series = [];
    this.plot = null;
    this.stale = true;
    this.says = el("span", { class: "visually-hidden", role: "status" });
    this.place = el("div", { class: "chart", tabindex: "0", role: "group", "aria-roledescription": "chart", "aria-label": this.name() + ": left and right arrow keys read values, + and - zoom, 0 shows all", data: { chart: about.id, own: "" }, on: { keydown: (event) => this.key(event) } });
    this.legend = el("ul", { class: "legend", "aria-label": `curves of ${about.title}` });
    this.scale = el("button", { type: "button", class: "tiny", "aria-pressed": String(this.log), title: "logarithmic axis", on: { click: () => this.toggle() } }, "log");
    this.all = el("button", { type: "button", class: "tiny", hidden: true, on: { click: () => zoom(this.axis.name, null) } }, "show all");
    const kinds = ["PNG", "SVG", "CSV"].map((kind) => el("button", { type: "button", class: "tiny", "aria-label": `download ${about.title} as ${kind}`, on: { click: () => { this.save(kind); save.open = false; } } }, kind));
    const save = el("details", { class: "save", on: { keydown: (event) => { if (event.key === "Escape") save.open = false; } } }, el("summary", { "aria-label": `save ${about.title}` }, "Save"), el("div", { class: "menu" }, kinds));
    this.node = el("figure", { class: "charted", data: { own: "", key: about.id } },
      el("figcaption", {}, el("span", { class: "name" }, this.name()), el("span", { class: "tools" }, this.all, this.scale, save)), this.place, this.legend, this.says);
    this.place.assayChart = this;
    charts.add(this);
    seen.observe(this.place);
    sized.observe(this.place);
  }

  name() { return this.about.unit ? `${this.about.title} (${this.about.unit})` : this.about.title; }

  // series: [{label, note, colour, xs, ys, low, high, faint, way}]; `way` is drawn from point to point in the order given,
  // [{x, y, text}], where the curve goes back. shades: [{from, to, colour}] behind them
  set({ axis, series, shades = [] }) {
    this.axis = axis;
    this.series = series;
    this.shades = shades;
    this.stale = true;
    if (this.visible) this.draw();
  }

  draw() {
    if (!this.stale || !this.series.length || !this.place.isConnected || !this.place.clientWidth) return;
    this.stale = false;
    const shape = JSON.stringify([this.series.map((one) => [one.label, one.colour, one.faint, Boolean(one.low), one.xs.length < 2]), this.log, dark(), this.axis]);
    const data = this.columns();
    if (this.plot && shape === this.shape) this.plot.setData(data); else this.build(shape, data);
    this.tell();
    this.all.hidden = !zooms[this.axis.name];
    this.place.dataset.drawn = "yes";
    this.place.dataset.points = String(data[0].length);
  }

  redraw() { this.stale = true; if (this.visible) this.draw(); }
  rebuild() { this.shape = ""; this.redraw(); }
  fit() { if (this.plot && this.place.clientWidth) this.plot.setSize({ width: this.place.clientWidth, height: tall(this.place.clientWidth) }); else this.redraw(); }
  remove() { charts.delete(this); seen.unobserve(this.place); sized.unobserve(this.place); if (this.plot) this.plot.destroy(); this.plot = null; }

  // every curve over one column of places, as uPlot wants them; a band is two more
  columns() {
    const positive = (values) => this.log ? values.map((value) => value > 0 ? value : null) : values;
    const tables = this.series.map((one) => [one.xs, positive(one.ys), ...(one.low ? [positive(one.low), positive(one.high)] : [])]);
    const same = tables.every(([xs]) => xs === tables[0][0]);
    return same ? [tables[0][0], ...tables.flatMap((table) => table.slice(1))] : window.uPlot.join(tables);
  }

  build(shape, data) {
    if (this.plot) this.plot.destroy();
    this.shape = shape;
    const ink = getComputedStyle(document.documentElement), soft = ink.getPropertyValue("--soft").trim(), line = ink.getPropertyValue("--line").trim();
    const axis = { stroke: soft, grid: { stroke: line, width: 1 }, ticks: { stroke: line, width: 1 }, font: "12px system-ui, sans-serif", labelFont: "12px system-ui, sans-serif" };
    const curves = [{}], bands = [];
    this.at = [];
    for (const one of this.series) {
      const stroke = colour(one.colour), drawn = { spanGaps: true, points: { show: Boolean(one.dots) || one.xs.length < 2, size: 5, fill: stroke }, ...(one.dots === true ? { paths: () => null } : {}) };
      this.at.push(curves.length);
      curves.push({ ...drawn, label: one.label + (one.note || ""), stroke: one.faint ? faded(stroke, 0.35) : stroke, width: one.faint ? 1 : 1.6, dash: dash(one.colour), show: !this.hidden.has(one.label) });
      if (!one.low) continue;
      curves.push({ ...drawn, stroke: faded(stroke, 0.3), width: 0.5, points: { show: false } }, { ...drawn, stroke: faded(stroke, 0.3), width: 0.5, points: { show: false } });
      bands.push({ series: [curves.length - 1, curves.length - 2], fill: faded(stroke, 0.16) });
    }
    this.plot = new window.uPlot({
      width: this.place.clientWidth, height: tall(this.place.clientWidth), series: curves, bands, legend: { show: false },
      scales: { x: { time: false, range: (plot, low, high) => zooms[this.axis.name] || this.width(low, high) }, y: { distr: this.log ? 3 : 1, range: (plot, low, high) => this.range(low, high) } },
      axes: [{ ...axis, size: 34, label: this.axis.title, labelSize: 16, values: (plot, places) => places.map(tick) }, { ...axis, size: 58, space: 22, values: (plot, places) => places.map((value) => value === null ? "" : tick(value)) }],
      cursor: { sync: { key: this.axis.name, scales: ["x", null], filters: { pub: (kind) => kind === "mousemove" || kind === "mouseleave" } }, drag: { x: true, y: false, setScale: false } },
      hooks: { drawClear: [(plot) => this.shade(plot)], draw: [(plot) => this.ways(plot)], setCursor: [() => this.tell()], setSelect: [(plot) => this.chose(plot)] },
    }, data, this.place);
    this.plot.over.addEventListener("dblclick", () => zoom(this.axis.name, null));
    this.plot.over.addEventListener("mousedown", (event) => { if (event.shiftKey) this.pan(event); }, { capture: true });
    this.plot.over.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
  }

  // all of the curves, and all of the phases behind them
  width(low, high) {
    const ends = [low, high, ...(this.shades || []).flatMap((one) => [one.from, one.to])].filter((value) => value !== null);
    const [first, last] = [Math.min(...ends), Math.max(...ends)];
    return first === last ? [first - 0.5, last + 0.5] : [first, last];
  }

  // never beyond what is possible: no accuracy above 100 %, no memory below 0
  range(low, high) {
    const { low: least, high: most } = this.about;
    if (low === null || high === null) return this.log ? [0.1, 1] : [0, 1];
    if (this.log) return low === high ? [low / 2, high * 2] : [low / 1.1, high * 1.1];
    const room = (high - low) * 0.08 || Math.abs(high) * 0.1 || 1;
    if (least === null && low >= 0 && low - room < 0) return [0, high + room];
    const floor = least !== null && (low - room < least || this.about.zero) ? least : low - room;
    return [floor, most !== null && high + room > most ? most : high + room];
  }

  shade(plot) {
    const { ctx } = plot, { top, height } = plot.bbox;
    for (const one of this.shades || []) {
      const left = Math.max(plot.bbox.left, plot.valToPos(one.from, "x", true)), right = Math.min(plot.bbox.left + plot.bbox.width, plot.valToPos(one.to, "x", true));
      if (right <= left) continue;
      ctx.fillStyle = faded(one.colour, 0.18);
      ctx.fillRect(left, top, right - left, height);
    }
  }

  ways(plot) {
    const { ctx } = plot, ratio = ctx.canvas.width / plot.width;
    for (const one of this.series) {
      if (!one.way || this.hidden.has(one.label)) continue;
      const places = one.way.map(({ x, y, text }) => [plot.valToPos(x, "x", true), plot.valToPos(y, "y", true), text]);
      ctx.strokeStyle = colour(one.colour);
      ctx.lineWidth = 1.6 * ratio;
      ctx.beginPath();
      for (const [x, y] of places) ctx.lineTo(x, y);
      ctx.stroke();
      ctx.fillStyle = getComputedStyle(document.documentElement).getPropertyValue("--ink").trim();
      ctx.font = `${12 * ratio}px system-ui, sans-serif`;
      for (const [x, y, text] of places) ctx.fillText(text, Math.max(plot.bbox.left, x - 12 * ratio), y - 6 * ratio);
    }
  }

  chose(plot) {
    const { left, width } = plot.select;
    if (width > 4) zoom(this.axis.name, [plot.posToVal(left, "x"), plot.posToVal(left + width, "x")]);
    if (width) plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
  }

  shown() { return [this.plot.scales.x.min, this.plot.scales.x.max]; }

  shift(share) {
    const [low, high] = this.shown(), by = share * (high - low);
    zoom(this.axis.name, [low + by, high + by]);
  }

  scaled(factor, about = 0.5) {
    const [low, high] = this.shown(), middle = low + about * (high - low);
    zoom(this.axis.name, [middle - (middle - low) * factor, middle + (high - middle) * factor]);
  }

  pan(event) {
    event.stopImmediatePropagation();
    event.preventDefault();
    const [low, high] = this.shown(), begin = event.clientX, width = this.plot.over.clientWidth;
    const move = (now) => { const by = (begin - now.clientX) / width * (high - low); zoom(this.axis.name, [low + by, high + by]); };
    addEventListener("mousemove", move);
    addEventListener("mouseup", () => removeEventListener("mousemove", move), { once: true });
  }

  wheel(event) {
    if (!event.ctrlKey && !event.shiftKey) return;  // the page scrolls
    event.preventDefault();
    const turned = event.deltaY || event.deltaX;
    if (event.shiftKey) this.shift(Math.sign(turned) * 0.1);
    else this.scaled(turned > 0 ? 1.25 : 0.8, event.offsetX / this.plot.over.clientWidth);
  }

  key(event) {
    if (!this.plot || event.ctrlKey || event.metaKey || event.altKey) return;
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (step && event.shiftKey) this.shift(step * 0.1);
    else if (step) this.read(step);
    else if (event.key === "Home" || event.key === "End") this.read(event.key === "Home" ? -Infinity : Infinity);
    else if (event.key === "+" || event.key === "=") this.scaled(0.7);
    else if (event.key === "-") this.scaled(1.4);
    else if (event.key === "0") zoom(this.axis.name, null);
    else return;
    event.preventDefault();
  }

  // the crosshair, one point further; a screen reader hears what the legend shows
  read(step) {
    const xs = this.plot.data[0], [low, high] = this.shown();
    const now = this.plot.cursor.idx ?? (step > 0 ? -1 : xs.length);
    let next = Math.min(xs.length - 1, Math.max(0, now + step));
    while (next > 0 && xs[next] > high) next -= 1;
    while (next < xs.length - 1 && xs[next] < low) next += 1;
    this.plot.setCursor({ left: this.plot.valToPos(xs[next], "x"), top: this.plot.height / 4 });
    this.says.textContent = `${this.axis.title} ${number(xs[next])}: ` + this.values().map((one) => `${one.label} ${number(one.value)}`).join(", ");
  }

  // of every curve, at the crosshair or else at its end
  values() {
    const place = this.plot.cursor.idx;
    return this.series.map((one, at) => {
      const column = this.plot.data[this.at[at]];
      return { ...one, value: place !== null && place !== undefined ? near(column, place) : this.about.rest ? this.about.rest.value(one) : one.ys[one.ys.length - 1] };
    }).filter((one) => !one.faint);
  }

  tell() {
    if (!this.plot) return;
    const place = this.plot.cursor.idx, x = place === null || place === undefined ? null : this.plot.data[0][place];
    const alone = this.series.filter((one) => !one.faint).length === 1;
    patch(this.legend, el("li", { class: "where", data: { key: "x" } }, x === null ? (this.about.rest || { word: "last" }).word : `${this.axis.title} ${number(x)}`),
      this.values().map((one) => el("li", { data: { key: one.label } }, el("button", { type: "button", class: this.hidden.has(one.label) ? "off" : "", "aria-pressed": String(!this.hidden.has(one.label)), title: alone ? null : "show or hide this curve", on: { click: () => this.hide(one.label) } }, swatch(one.colour), alone ? "" : one.label + " ", el("strong", {}, number(one.value))))));
  }

  hide(label) {
    if (this.series.filter((one) => !one.faint).length === 1) return;
    if (!this.hidden.delete(label)) this.hidden.add(label);
    this.series.forEach((one, at) => {
      if (one.label !== label) return;
      for (let place = this.at[at]; place < this.at[at] + (one.low ? 3 : 1); place++) this.plot.setSeries(place, { show: !this.hidden.has(label) });
    });
    this.tell();
  }

  toggle() {
    this.log = !this.log;
    this.scale.setAttribute("aria-pressed", String(this.log));
    write({ log: [...charts].filter((chart) => chart.log).map((chart) => chart.about.id).join(",") });
    this.rebuild();
  }

  save(kind) {
    if (!this.plot) return;
    const about = { name: `${document.title.split(" · ")[0]}-${this.about.id}`.replace(/[^\w.-]+/g, "-"), title: this.name(), x: this.axis.title, values: this.values().map((one) => ({ ...one, label: one.label + (one.note || "") })) };
    ({ PNG: asPng, SVG: asSvg, CSV: asCsv })[kind](this.plot, about);
  }
}

export function swatch(place) {
  const made = el("span", { class: "swatch", "aria-hidden": "true" });
  made.style.background = `var(--c${place % COLOURS})`;
  if (dash(place).length) made.classList.add(`dash${Math.floor(place / COLOURS) % DASHES.length}`);
  return made;
}

function near(column, place) {
  for (let off = 0; off < column.length; off++) {
    if (column[place - off] !== null && column[place - off] !== undefined) return column[place - off];
    if (off > 200) break;
  }
  return null;
}

function tick(value) {
  const size = Math.abs(value);
  if (size >= 1e6) return `${Number((value / 1e6).toPrecision(4))}M`;
  if (size >= 1e4) return `${Number((value / 1e3).toPrecision(4))}k`;
  return size && size < 1e-3 ? value.toExponential(0) : String(Number(value.toPrecision(6)));
}
