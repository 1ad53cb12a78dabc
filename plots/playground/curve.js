// SPDX-License-Identifier: LGPL-2.1-or-later
// The curve of a formula: time over size, with its terms, on logarithmic axes.

const CURVE = {width: 420, height: 170, left: 56, top: 8, right: 26, bottom: 26, powers: 30};

/**
 * `size` at which the two terms that are largest at the ends are equal, and their `kinds`;
 * undefined if one term is largest at both. `points`: the terms at each of the `sizes`.
 */
function crossingOf(points, sizes) {
  const largest = values => values.reduce((most, one, i) =>
    one.value > values[most].value ? i : most, 0);
  const first = largest(points[0]), last = largest(points.at(-1));
  const after = points.findIndex(values => values[last].value >= values[first].value);
  if (first === last || after < 1) return undefined;
  const gap = i => Math.log(points[i][last].value / points[i][first].value);
  const share = -gap(after - 1) / (gap(after) - gap(after - 1));
  return {size: Math.round(sizes[after - 1] * (sizes[after] / sizes[after - 1]) ** share),
    kinds: [first, last].map(i => points[0][i].kind)};
}

/** Axes of sizes from 1 B to 1 GiB and of times from `low` to `high`, powers of ten. */
function curveAxes(x, y, low, high) {
  const {width, height, left, right} = CURVE, nodes = [];
  for (let power = Math.ceil(low); power <= high; power += Math.ceil((high - low) / 5)) {
    const level = y(10 ** power);
    nodes.push(svg("line", {class: "lane", x1: left, x2: width - right, y1: level, y2: level}),
      svg("text", {class: "axis", x: left - 6, y: level + 4, "text-anchor": "end"},
        quantity(10 ** power, TIME_UNITS)));
  }
  for (let power = 0; power <= CURVE.powers; power += 10) {
    nodes.push(text(x(2 ** power), height - 8, sizeWords(2 ** power), "axis"));
  }
  return nodes;
}

/** The curve of a Formula, if it is a time that depends on the size, and its caption. */
function drawnCurve(formula, simulated) {
  const [name, size] = Object.entries(formula.symbols).find(([, one]) =>
    one.key === "job.bytes") || [];
  if (!name || formula.formula.measure !== "time_s") return [];
  const {width, height, left, top, right, bottom, powers} = CURVE;
  const sizes = Array.from({length: 2 * powers + 1}, (_, i) => 2 ** (i / 2));
  const points = sizes.map(bytes => formula.values({[name]: bytes}));
  const totals = points.map(values => values.reduce((sum, {value}) => sum + value, 0));
  const low = Math.log10(Math.min(...totals)) - 0.3, high = Math.log10(Math.max(...totals));
  const x = bytes => left + Math.log2(bytes) / powers * (width - left - right);
  const y = seconds => top + (high - Math.log10(seconds)) / (high - low) * (height - top - bottom);
  const line = (values, css, style) => svg("polyline", {class: css, style, points: values
    .map((value, i) => [sizes[i], value]).filter(([, value]) => Math.log10(value) > low)
    .map(([bytes, value]) => `${x(bytes).toFixed(1)},${y(value).toFixed(1)}`).join(" ")});
  const terms = points[0].map(({kind}, i) => line(points.map(values => values[i].value),
    "term-line", `stroke: var(--${TERM_COLOURS[kind]})`));
  const now = size.number * size.scale, crossing = crossingOf(points, sizes), marks = [];
  if (crossing) {
    marks.push(svg("line", {class: "crossing", x1: x(crossing.size), x2: x(crossing.size), y1: top,
      y2: height - bottom}));
  }
  if (simulated > 0 && now >= 1 && now <= 2 ** powers) {
    marks.push(svg("circle", {class: "dot", cx: x(now), cy: y(simulated), r: 5}));
  }
  const words = crossing
    ? `${crossing.kinds.join(" and ")} are equal at ${quantity(crossing.size, SIZE_UNITS)}. `
      .replace(/^./, letter => letter.toUpperCase()) : "";
  return [svg("svg", {viewBox: `0 0 ${width} ${height}`, width, height, role: "img",
    "aria-label": "Time over size by the formula"}, ...curveAxes(x, y, low, high), ...terms,
  line(totals, "total-line", ""), ...marks),
  element("p", {class: "facts"}, unbroken(`${words}Thick line: time by the formula. Thin lines: ` +
    "its terms. Dot: simulated."))];
}
