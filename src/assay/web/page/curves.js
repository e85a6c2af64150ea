// The charts of a page: training curves and the machine, with what can be chosen about them.
import { Chart, swatch } from "./chart.js";
import { byRun, mean, smoothed } from "./series.js";
import { el, lasted, patch, percent } from "./parts.js";
import { read, write } from "./state.js";

const MOST_SINGLE = 40;

export class Curves {
  constructor() {
    this.charts = new Map();
    this.data = {};
    this.panels = { axes: [], curves: [], machine: [], phases: {} };
    this.training = el("section", { id: "progress", "aria-labelledby": "progress-title" });
    this.machine = el("section", { id: "machine", "aria-labelledby": "machine-title" });
    this.times = el("section", { id: "time", "aria-labelledby": "time-title" });
  }

  // one colour for one setting, wherever on the page it stands
  coloured(groups) {
    this.places = new Map(groups.map((name, place) => [name, place]));
  }

  colour(group) {
    if (!this.places) this.coloured([]);
    if (!this.places.has(group)) this.places.set(group, this.places.size);
    return this.places.get(group);
  }

  give(found) {
    this.data = found.data;
    this.panels = found.panels;
    for (const run of found.data.curves.group || []) this.colour(run);
    this.lay();
    this.fill();
  }

  get axis() {
    const names = this.panels.axes.map(([name]) => name), asked = read().axis;
    return names.includes(asked) ? asked : names[0];
  }

  get strength() { return Math.min(0.99, Math.max(0, Number(read().smooth || 0))); }
  get single() { return read().single === "yes"; }
  get repeats() {
    const runs = new Map();
    (this.data.curves.run || []).forEach((run, at) => runs.set(run, this.data.curves.group[at]));
    return new Set(runs.values()).size < runs.size;
  }

  chart(panel) {
    if (!this.charts.has(panel.id)) this.charts.set(panel.id, new Chart(panel));
    return this.charts.get(panel.id);
  }

  lay() {
    const { curves, machine, phases } = this.panels;
    for (const [id, chart] of this.charts) if (![...curves, ...machine].some((panel) => panel.id === id)) { chart.remove(); this.charts.delete(id); }
    this.training.hidden = !curves.length;
    this.machine.hidden = !machine.length;
    patch(this.training, el("h2", { id: "progress-title" }, "Training curves"), this.controls(), el("div", { class: "grid" }, curves.map((panel) => this.chart(panel).node)));
    const legend = Object.entries(phases).map(([name, colour]) => el("li", {}, el("span", { class: "swatch", style: { background: colour } }), name));
    patch(this.machine, el("h2", { id: "machine-title" }, "CPU, memory, GPU"), this.runChoice(),
      legend.length && this.shadedRun() ? el("ul", { class: "phases", "aria-label": "phases" }, legend) : null,
      el("div", { class: "grid" }, machine.map((panel) => this.chart(panel).node)));
    this.layTimes();
  }

  controls() {
    const axes = this.panels.axes.map(([name, text]) => el("button", { type: "button", data: { axis: name }, "aria-pressed": String(name === this.axis), on: { click: () => this.change({ axis: name, zoom: "" }) } }, text));
    const slider = el("input", { id: "smooth", type: "range", min: 0, max: 0.99, step: 0.01, value: this.strength, on: { input: (event) => this.change({ smooth: Number(event.target.value) ? event.target.value : "" }) } });
    return el("div", { class: "controls tight" },
      axes.length > 1 ? el("div", { class: "switch", role: "group", "aria-label": "horizontal axis" }, axes) : null,
      el("label", { class: "inline", for: "smooth" }, "Smoothing", slider),
      this.repeats ? el("button", { type: "button", id: "single", "aria-pressed": String(this.single), on: { click: () => this.change({ single: this.single ? "" : "yes" }) } }, "Single runs") : null,
      el("span", { class: "soft small hint" }, "Drag to zoom, shift-drag to move, double-click to show all"),
      this.repeats && !this.single ? el("p", { class: "soft small" }, this.strength ? "Each curve is the smoothed mean of a setting's repeats." : "Each curve is the mean of a setting's repeats; its band reaches from the lowest to the highest of them.") : null);
  }

  change(values) {
    write(values);
    this.lay();
    this.fill();
  }

  fill() {
    const axis = this.axis, title = (this.panels.axes.find(([name]) => name === axis) || ["", ""])[1];
    for (const panel of this.panels.curves) this.chart(panel).set({ axis: { name: axis, title }, series: this.lines(byRun(this.data.curves, axis, panel.key, panel.scale)) });
    this.fillMachine();
  }

  // a curve for each run, or the mean of each setting's repeats with their range; the raw values behind what is smoothed
  lines(runs) {
    const made = [];
    const add = (label, group, curve, note = "") => {
      const colour = this.colour(group), strength = this.strength;
      if (strength) made.push({ label, note, colour, xs: curve.xs, ys: curve.ys, faint: true });
      made.push({ label, note, colour, ...curve, ...(strength ? { ys: smoothed(curve.ys, strength), low: null } : {}) });
    };
    if (this.single || !this.repeats) {
      for (const [run, one] of [...runs].slice(0, MOST_SINGLE)) add(run, one.group, one);
      return made;
    }
    const groups = new Map();
    for (const one of runs.values()) groups.set(one.group, [...(groups.get(one.group) || []), one]);
    for (const [group, members] of groups) {
      const together = members.length > 1 ? mean(members) : members[0];
      if (together.xs.length) add(group, group, together, members.length > 1 ? ` (mean of ${members.length})` : "");
    }
    return made;
  }

  shadedRun() {
    const runs = [...new Set(this.data.machine.run || [])];
    return runs.length === 1 ? runs[0] : runs.includes(read().run) ? read().run : null;
  }

  runChoice() {
    const runs = [...new Set(this.data.machine.run || [])];
    if (runs.length < 2) return null;
    const now = this.shadedRun() || "";
    const select = el("select", { id: "machine-run", on: { change: (event) => this.change({ run: event.target.value }) } },
      el("option", { value: "", selected: !now }, "all runs"), runs.map((run) => el("option", { value: run, selected: run === now }, run)));
    return el("div", { class: "controls tight" }, el("label", { class: "inline", for: "machine-run" }, "Run (shows its phases)", select));
  }

  fillMachine() {
    const { machine, spans = {} } = this.data, only = this.shadedRun();
    const shades = only === null ? [] : (spans.run || []).map((run, at) => at).filter((at) => spans.run[at] === only && (spans.depth[at] || 0) === 0)
      .map((at) => ({ from: spans.begin_s[at], to: spans.end_s[at], colour: this.panels.phases[spans.phase[at]] || "#999999" }));
    for (const panel of this.panels.machine) {
      const rows = { run: [], group: [], s: [], value: [] };
      machine.run.forEach((run, at) => {
        if (machine.panel[at] !== panel.key || (only !== null && run !== only)) return;
        rows.run.push(run);
        rows.group.push(machine.group ? machine.group[at] : run);
        rows.s.push(machine.s[at]);
        rows.value.push(machine.value[at]);
      });
      const series = [...byRun(rows, "s", "value")].slice(0, MOST_SINGLE).map(([run, one]) => ({ label: run, colour: this.colour(one.group), xs: one.xs, ys: one.ys }));
      this.chart(panel).set({ axis: { name: "s", title: "seconds since the start" }, series, shades });
    }
  }

  // where the time went, in the order it went: a bar for each run, or the mean of each setting's repeats
  layTimes() {
    const shares = this.data.shares || {}, order = Object.keys(this.panels.phases), runs = new Map();
    const all = new Set(shares.run || []), mean = new Set(shares.group || []).size < all.size && !this.single && Boolean(shares.group);
    const name = (at) => mean ? shares.group[at] : shares.run[at], members = new Map();
    (shares.run || []).forEach((run, at) => members.set(name(at), (members.get(name(at)) || new Set()).add(run)));
    (shares.run || []).forEach((_, at) => {
      const parts = runs.get(name(at)) || new Map(), had = parts.get(shares.phase[at]) || { share: 0, seconds: 0 }, count = members.get(name(at)).size;
      parts.set(shares.phase[at], { share: had.share + shares.share[at] / count, seconds: had.seconds + shares.seconds[at] / count });
      runs.set(name(at), parts);
    });
    this.times.hidden = ![...runs.values()].some((parts) => parts.size > 1);
    const colour = (phase) => this.panels.phases[phase] || "#999999", sorted = (parts) => [...parts].sort(([a], [b]) => order.indexOf(a) - order.indexOf(b));
    const label = (run) => mean ? [this.swatch(run), members.get(run).size > 1 ? `${run} (mean of ${members.get(run).size})` : run] : run;
    patch(this.times, el("h2", { id: "time-title" }, "Where the time went"),
      el("ul", { class: "bars" }, [...runs].slice(0, MOST_SINGLE).map(([run, parts]) => el("li", { data: { key: run } },
        runs.size > 1 ? el("span", { class: "small" }, label(run)) : null,
        el("span", { class: "stack", "aria-hidden": "true" }, sorted(parts).map(([phase, part]) => el("span", { style: { width: `${100 * part.share}%`, background: colour(phase) }, title: `${phase}: ${lasted(part.seconds)}` }))),
        el("span", { class: "soft small" }, sorted(parts).map(([phase, part]) => el("span", { class: "part" }, el("span", { class: "swatch", style: { background: colour(phase) } }), `${phase} ${lasted(part.seconds)} (${percent(part.share)})`)))))));
  }

  swatch(group) { return swatch(this.colour(group)); }
}
