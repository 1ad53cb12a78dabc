// SPDX-License-Identifier: LGPL-2.1-or-later
// Colours from the style sheet, hatches, and canvases as sharp as the screen.

function colour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

/** Colours by name, read once until the theme changes. */
const colours = {
  known: {},
  of(name) {
    return this.known[name] ||= colour(name);
  },
  forget() {
    this.known = {};
    hatches.known = {};
    pixelRatio.enlarged = 0;
  },
};

/** Pixels of the screen for each of a canvas, also where the page is enlarged. By how much is kept
 * until the colours are forgotten: to ask computes the page's styles. */
const pixelRatio = () => (devicePixelRatio || 1) *
  (pixelRatio.enlarged ||= document.body.currentCSSZoom || 1);

function mixed(from, to, share) {
  const part = (text, i) => parseInt(text.slice(1 + 2 * i, 3 + 2 * i), 16);
  const mix = i => Math.round(part(from, i) + (part(to, i) - part(from, i)) * share);
  return [mix(0), mix(1), mix(2)];
}
const rgb = ([red, green, blue]) => `rgb(${red},${green},${blue})`;

// Each of KIND_WORDS has a ground and a drawing on it, so that they differ in black and white.
const HATCH_LINES = {
  compute: "M0 4H8",
  reduce: "",
  copy: "M0 0L8 8M8 0L0 8",
  overhead: "M2 2h1.6M6 6h1.6",
  "wait-copy": "M-2 2L2 -2M0 8L8 0M6 10L10 6",
  "wait-wire": "",
  "wait-latency": "M2 2h1.2M6 6h1.2",
  "wait-memory": "M0 2H8M0 6H8",
  "wait-partner": "M-2 6L2 10M0 0L8 8M6 -2L10 2",
  "wait-progress": "M2 0V8M6 0V8",
  "wait-lock": "M0 4H8M4 0V8",
  "wait-other": "M4 0V8",
  idle: "",
};

/** Hatches as canvas patterns. */
const hatches = {
  known: {},
  of(context, name) {
    return this.known[name] ||= this.make(context, name);
  },
  make(context, name) {
    const ground = colours.of(`${name}-ground`);
    if (!HATCH_LINES[name]) return ground;
    const ratio = pixelRatio(), tile = document.createElement("canvas");
    tile.width = tile.height = Math.round(8 * ratio);
    const pen = tile.getContext("2d");
    pen.scale(tile.width / 8, tile.height / 8);
    pen.fillStyle = ground;
    pen.fillRect(0, 0, 8, 8);
    pen.strokeStyle = colours.of(`${name}-line`);
    pen.lineWidth = 1.1;
    pen.stroke(new Path2D(HATCH_LINES[name]));
    const pattern = context.createPattern(tile, "repeat");
    pattern.setTransform(new DOMMatrix([8 / tile.width, 0, 0, 8 / tile.height, 0, 0]));
    return pattern;
  },
};

/** The same hatches for SVG; colours follow the style sheet by themselves. */
function hatchDefinitions() {
  const patterns = Object.keys(HATCH_LINES).map(name => svg("pattern",
    {id: `hatch-${name}`, width: 8, height: 8, patternUnits: "userSpaceOnUse"},
    svg("rect", {width: 8, height: 8, style: `fill: var(--${name}-ground)`}),
    svg("path", {d: HATCH_LINES[name],
      style: `stroke: var(--${name}-line); stroke-width: 1.1; fill: none`})));
  return svg("svg", {width: 0, height: 0, "aria-hidden": "true", class: "hidden"},
    svg("defs", {}, ...patterns));
}

/** Makes the canvas `width` x `height` CSS pixels at the screen's own resolution. */
function sharpen(canvas, width, height) {
  const ratio = pixelRatio();
  canvas.width = Math.max(1, Math.round(width * ratio));
  canvas.height = Math.max(1, Math.round(height * ratio));
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  const context = canvas.getContext("2d");
  context.setTransform(canvas.width / width, 0, 0, canvas.height / height, 0, 0);
  context.font = `11px ${colours.of("font")}`;
  return context;
}

const tip = {
  show(lines, x, y) {
    const box = document.getElementById("tip");
    box.replaceChildren(...lines.map((line, i) => element(i ? "div" : "b", {}, line)));
    box.hidden = false;
    const {width, height} = box.getBoundingClientRect();
    const left = Math.min(x + 14, innerWidth - width - 8);
    const below = y + 18 + height < innerHeight - 8;
    box.style.left = `${Math.max(8, left)}px`;
    box.style.top = `${Math.max(8, below ? y + 18 : y - height - 12)}px`;
  },
  hide() {
    document.getElementById("tip").hidden = true;
  },
};

/** Shows what `find(x, y)` says of the point under the pointer, in pixels of the element. */
function tipsOver(target, find) {
  target.addEventListener("pointermove", event => {
    const box = target.getBoundingClientRect();
    const zoom = target.offsetWidth / box.width || 1;  // an SVG has no width of its own
    const lines = find((event.clientX - box.left) * zoom, (event.clientY - box.top) * zoom, event);
    if (lines) tip.show(lines, event.clientX, event.clientY);
    else tip.hide();
  });
  target.addEventListener("pointerleave", () => tip.hide());
}
