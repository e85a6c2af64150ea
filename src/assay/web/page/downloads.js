// A chart as a file: the picture as it is on the screen, the same as vectors, or its values.
import { download, number } from "./parts.js";

const FONT = "13px system-ui, sans-serif";
const GAP = 8, LINE = 18;
const style = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

export function asPng(plot, about) {
  const shown = plot.ctx.canvas, ratio = shown.width / plot.width, top = LINE + GAP;
  const made = document.createElement("canvas"), ctx = made.getContext("2d");
  made.width = shown.width;
  made.height = shown.height + ratio * (top + GAP + LINE * about.values.length);
  ctx.fillStyle = style("--paper");
  ctx.fillRect(0, 0, made.width, made.height);
  ctx.drawImage(shown, 0, ratio * top);
  ctx.scale(ratio, ratio);
  ctx.font = FONT;
  ctx.fillStyle = style("--ink");
  ctx.fillText(about.title, GAP, LINE - 3);
  about.values.forEach((one, at) => {
    const y = top + plot.height + LINE * at + 12;
    ctx.fillStyle = style(`--c${one.colour % 9}`);
    ctx.fillRect(GAP, y - 9, 14, 9);
    ctx.fillStyle = style("--ink");
    ctx.fillText(`${one.label} ${number(one.value)}`, GAP + 20, y);
  });
  made.toBlob((blob) => download(`${about.name}.png`, blob));
}

export function asSvg(plot, about) {
  const { left, top, width, height } = plot.bbox, ratio = plot.ctx.canvas.width / plot.width;
  const box = [left, top, width, height].map((value) => value / ratio);
  const [x0, y0, w, h] = box, head = LINE + GAP;
  const part = (tag, props, ...inside) => {
    const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(props)) made.setAttribute(name, String(value));
    made.append(...inside);
    return made;
  };
  const tall = head + plot.height + GAP + LINE * about.values.length;
  const root = part("svg", { xmlns: "http://www.w3.org/2000/svg", width: plot.width, height: tall, viewBox: `0 0 ${plot.width} ${tall}`, "font-family": "system-ui, sans-serif", "font-size": 12, fill: style("--ink") });
  root.append(part("rect", { width: plot.width, height: tall, fill: style("--paper") }), part("text", { x: GAP, y: LINE - 3, "font-size": 13 }, about.title));
  const body = part("g", { transform: `translate(0 ${head})` });
  for (const [at, scale] of [[0, "x"], [1, "y"]]) {
    const axis = plot.axes[at];
    (axis._splits || []).forEach((value, place) => {
      const text = (axis._values || [])[place];
      if (value === null || !text) return;
      const where = plot.valToPos(value, scale);
      const line = at ? { x1: x0, x2: x0 + w, y1: y0 + where, y2: y0 + where } : { x1: x0 + where, x2: x0 + where, y1: y0, y2: y0 + h };
      body.append(part("line", { ...line, stroke: style("--line") }));
      body.append(at ? part("text", { x: x0 - 6, y: y0 + where + 4, "text-anchor": "end" }, text) : part("text", { x: x0 + where, y: y0 + h + 16, "text-anchor": "middle" }, text));
    });
  }
  body.append(part("text", { x: x0 + w / 2, y: y0 + h + 32, "text-anchor": "middle" }, about.x));
  const clip = part("g", { "clip-path": "url(#box)", fill: "none" });
  body.append(part("clipPath", { id: "box" }, part("rect", { x: x0, y: y0, width: w, height: h })), clip);
  const way = (series) => about.values.some((one) => one.way && one.label === series.label);
  plot.series.forEach((series, at) => {
    if (!at || series.show === false) return;
    const stroke = typeof series.stroke === "function" ? series.stroke(plot, at) : series.stroke;
    if (!way(series)) clip.append(part("path", { d: path(plot, at, x0, y0), stroke, "stroke-width": series.width, "stroke-dasharray": (series.dash || []).join(" ") }));
  });
  for (const one of about.values.filter((value) => value.way)) {
    const at = ({ x, y }) => [x0 + plot.valToPos(x, "x"), y0 + plot.valToPos(y, "y")];
    clip.append(part("path", { d: "M" + one.way.map((place) => at(place).join(" ")).join("L"), stroke: style(`--c${one.colour % 9}`), "stroke-width": 1.6 }));
    for (const place of one.way) body.append(part("circle", { cx: at(place)[0], cy: at(place)[1], r: 3, fill: style(`--c${one.colour % 9}`) }), part("text", { x: Math.max(x0, at(place)[0] - 12), y: at(place)[1] - 6 }, place.text));
  }
  root.append(body);
  about.values.forEach((one, at) => root.append(
    part("rect", { x: GAP, y: head + plot.height + LINE * at + 3, width: 14, height: 9, fill: style(`--c${one.colour % 9}`) }),
    part("text", { x: GAP + 20, y: head + plot.height + LINE * at + 12 }, `${one.label} ${number(one.value)}`)));
  download(`${about.name}.svg`, new XMLSerializer().serializeToString(root), "image/svg+xml");
}

function path(plot, at, x0, y0) {
  const xs = plot.data[0], ys = plot.data[at], parts = [];
  for (let place = 0; place < xs.length; place++) {
    if (ys[place] === null || ys[place] === undefined) continue;
    parts.push(`${parts.length ? "L" : "M"}${(x0 + plot.valToPos(xs[place], "x")).toFixed(1)} ${(y0 + plot.valToPos(ys[place], "y")).toFixed(1)}`);
  }
  return parts.join("");
}

export function asCsv(plot, about) {
  const curves = plot.series.map((series, at) => at).filter((at) => at && plot.series[at].label);
  const quoted = (text) => /[",\n]/.test(text) || /^[=+@-]/.test(text) ? `"${(/^[=+@-]/.test(text) ? "'" : "") + text.replaceAll('"', '""')}"` : text;
  const lines = [[about.x, ...curves.map((at) => plot.series[at].label)].map(quoted).join(",")];
  plot.data[0].forEach((x, place) => lines.push([x, ...curves.map((at) => plot.data[at][place] ?? "")].join(",")));
  download(`${about.name}.csv`, lines.join("\n") + "\n", "text/csv");
}
