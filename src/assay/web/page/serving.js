// Requests to a server: how many were answered within so many milliseconds, when, and throughput against latency.
import { Chart } from "./chart.js";
import { byRun } from "./series.js";
import { el, number, patch } from "./parts.js";

const FIGURES = { ttft: "Time to first token", itl: "Time between tokens", tpot: "Time per output token", e2e: "Whole request" };

export class Serving {
  constructor(curves) {
    this.curves = curves;
    this.charts = new Map();
    this.node = el("section", { id: "serving", "aria-label": "requests to the server" });
  }

  chart(about) {
    if (!this.charts.has(about.id)) this.charts.set(about.id, new Chart({ low: 0, high: null, unit: "", ...about }));
    return this.charts.get(about.id);
  }

  // said: sentences that stand above already
  give(found, said = []) {
    this.node.hidden = !found;
    if (!found) return;
    const { latencies, requests, loads } = found.data, made = [];
    this.groups = found.groups;
    if (loads) made.push(this.loads(loads, found.unit));
    for (const [key, title] of Object.entries(FIGURES)) if (latencies && latencies.figure.includes(key)) made.push(this.distribution(latencies, key, title));
    if (requests) made.push(this.timeline(requests));
    patch(this.node, el("h2", {}, "Requests"), found.says.filter((text) => !said.includes(text)).map((text) => el("p", {}, text)), el("div", { class: "grid" }, made.map((chart) => chart.node)), table(found.table), requests ? each(requests) : null);
  }

  lines(columns, x, y, by, more = {}) {
    return [...byRun({ ...columns, run: columns[by], group: columns[by] }, x, y, more.scale || 1)].map(([label, one]) => ({ label: label || "server", colour: this.curves.colour(this.groups[label] || label), xs: one.xs, ys: one.ys, dots: more.dots }));
  }

  distribution(columns, key, title) {
    const keep = columns.figure.map((figure) => figure === key), only = Object.fromEntries(Object.entries(columns).map(([name, values]) => [name, values.filter((_, at) => keep[at])]));
    const chart = this.chart({ id: `latency-${key}`, title: `${title}: share of requests within`, unit: "%", high: 100, zero: true, rest: { word: "median (ms)", value: median } });
    chart.set({ axis: { name: `ms-${key}`, title: "ms" }, series: this.lines(only, "ms", "share", "group", { scale: 100 }) });
    return chart;
  }

  timeline(columns) {
    const chart = this.chart({ id: "requests", title: "Each request when it was sent", unit: "ms", zero: true, rest: { word: "median (ms)", value: (one) => [...one.ys].sort((a, b) => a - b)[Math.floor(one.ys.length / 2)] } });
    chart.set({ axis: { name: "sent", title: "seconds since the first request" }, series: this.lines(columns, "sent_s", "e2e_ms", "run", { dots: true }) });
    return chart;
  }

  loads(columns, unit) {
    const chart = this.chart({ id: "load-curve", title: "Latency against throughput at each load", unit: "ms", zero: true, rest: { word: "lowest", value: (one) => Math.min(...one.ys) } });
    const knees = columns.rate.flatMap((rate, at) => columns.knee[at] ? [{ from: rate * 0.985, to: rate * 1.015, colour: "#d55e00" }] : []);
    // above the knee more load may mean less throughput: the curve goes back, and is drawn from load to load
    const way = (server) => columns.rate.map((x, at) => ({ x, y: columns.latency_ms[at], text: number(columns.load[at]), server: columns.server[at] || "server" })).filter((one) => one.server === server);
    const series = this.lines(columns, "rate", "latency_ms", "server", { dots: true }).map((one) => ({ ...one, way: way(one.label) }));
    chart.set({ axis: { name: "rate", title: unit || "throughput" }, series, shades: knees });
    return chart;
  }
}

// of a curve of shares in per cent: where it reaches half
const median = (one) => one.xs[one.ys.findIndex((share) => share >= 50)];

const SLOWEST = 50;

// the requests one by one: failures first, then the slowest
function each(columns) {
  const places = columns.run.map((_, at) => at), failed = (at) => columns.outcome[at] !== "answered";
  places.sort((a, b) => failed(b) - failed(a) || (columns.e2e_ms[b] || 0) - (columns.e2e_ms[a] || 0));
  const several = new Set(columns.run).size > 1, heads = [...(several ? ["run"] : []), "request", "sent after (s)", "first token (ms)", "whole request (ms)", "output tokens", "outcome"];
  const rows = places.slice(0, SLOWEST).map((at) => [...(several ? [columns.run[at]] : []), columns.request[at], number(columns.sent_s[at]), number(columns.ttft_ms[at]), number(columns.e2e_ms[at]), columns.tokens[at] ?? "–", columns.outcome[at]]);
  return el("details", { data: { key: "each" } }, el("summary", {}, `Single requests: failures, then the slowest (${Math.min(SLOWEST, places.length)} of ${places.length})`),
    el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "single requests" }, el("table", {}, el("thead", {}, el("tr", {}, heads.map((text, at) => el("th", { scope: "col", class: at && at < heads.length - 1 ? "number" : "" }, text)))),
      el("tbody", {}, rows.map((row) => el("tr", {}, row.map((text, at) => el(at ? "td" : "th", { scope: at ? null : "row", class: at && at < row.length - 1 ? "number" : "" }, text))))))));
}

function table(found) {
  if (!found) return null;
  return el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "percentiles of latencies" }, el("table", {}, el("thead", {}, el("tr", {}, found.heads.map((text, at) => el("th", { scope: "col", class: at > 1 ? "number" : "" }, text || "setting")))),
    el("tbody", {}, found.rows.map((row) => el("tr", {}, row.map((text, at) => el(at ? "td" : "th", { scope: at ? null : "row", class: at > 1 ? "number" : "" }, text)))))));
}
