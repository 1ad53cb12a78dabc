// SPDX-License-Identifier: LGPL-2.1-or-later
// What leaves the page: YAML for the command line, CSV, and pictures.

/** A scalar as YAML: quoted where it could be read as something else. */
function yamlScalar(value) {
  if (typeof value !== "string") return String(value);
  return /^[\w./][\w./+ -]*$/.test(value) && !/^(true|false|null|yes|no|on|off|~)$/i.test(value) &&
    !/\s$/.test(value) ? value : JSON.stringify(value);
}

/** A tree as YAML in blocks, empty keys left out; lists of plain values stand in one line. */
function yamlOf(value, indent = "") {
  const isPlain = item => item === null || typeof item !== "object";
  const flow = item => isPlain(item) ? yamlScalar(item) : Array.isArray(item)
    ? `[${item.map(flow).join(", ")}]`
    : `{${Object.entries(item).map(([key, one]) => `${yamlScalar(key)}: ${flow(one)}`)
      .join(", ")}}`;
  return Object.entries(value).filter(([, item]) => item !== null).map(([key, item]) => {
    const head = `${indent}${yamlScalar(key)}:`;
    if (isPlain(item)) return `${head} ${yamlScalar(item)}\n`;
    const line = `${head} ${flow(item)}\n`;
    if (line.length <= 90 || Object.keys(item).length === 0) return line;
    if (!Array.isArray(item)) return `${head}\n${yamlOf(item, `${indent}  `)}`;
    return `${head}\n${item.map(one => `${indent}  - ${flow(one)}\n`).join("")}`;
  }).join("");
}

/** The runs as one scenario: two as its cases, where they differ by whole keys. */
function scenarioYaml(cases) {
  const trees = cases.map(one => Object.fromEntries(Object.entries(one.tree)
    .filter(([, value]) => value !== null)));
  if (trees.length < 2) return yamlOf(trees[0]);
  const keys = [...new Set(trees.flatMap(Object.keys))].filter(key =>
    JSON.stringify(trees[0][key]) !== JSON.stringify(trees[1][key]));
  return yamlOf({...trees[0], cases: trees.map((tree, i) => ({name: cases[i].name,
    set: Object.fromEntries(keys.map(key => [key, tree[key] ?? null]))}))});
}

function download(name, content, type) {
  const link = element("a", {href: content instanceof Blob
    ? URL.createObjectURL(content) : URL.createObjectURL(new Blob([content], {type})),
  download: name});
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

const DRAWN = ["fill", "stroke", "stroke-width", "font-family", "font-size", "font-weight",
  "opacity", "text-anchor", "stroke-linecap"];

/** A drawing that stands alone: looks that come from the style sheet are written into it. */
function standalone(drawing) {
  const copy = drawing.cloneNode(true);
  const all = [drawing, ...drawing.querySelectorAll("*")];
  [copy, ...copy.querySelectorAll("*")].forEach((one, i) => {
    const looks = getComputedStyle(all[i]);
    one.setAttribute("style", DRAWN.map(name => {
      const value = looks.getPropertyValue(name);
      const hatch = /url\("?#hatch-([\w-]+)"?\)/.exec(value);
      return `${name}:${hatch ? colour(`${hatch[1]}-ground`) : value.replaceAll("\"", "'")}`;
    }).join(";"));
  });
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  const ground = svg("rect", {width: "100%", height: "100%", style: `fill:${colour("card")}`});
  copy.prepend(ground);
  return new XMLSerializer().serializeToString(copy);
}

async function imageOf(text) {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
  await image.decode();
  return image;
}

/** All pictures of all cases on one canvas, a case a column. */
async function picture(views) {
  const ratio = pixelRatio(), gap = 16;
  const columns = await Promise.all(views.map(async view => {
    const drawing = view.cluster.node.querySelector("svg");
    const cluster = drawing ? await imageOf(standalone(drawing))
      : view.cluster.node.querySelector("canvas");
    return [cluster, view.matrix?.canvas, view.timeline.canvas].filter(Boolean);
  }));
  const sizes = columns.map(parts => parts.map(part => part instanceof Image
    ? [part.naturalWidth, part.naturalHeight] : [part.width / ratio, part.height / ratio]));
  const widths = sizes.map(parts => Math.max(300, ...parts.map(([width]) => width)));
  const heights = sizes.map(parts => parts.reduce((sum, [, height]) => sum + height + gap, 40));
  const canvas = document.createElement("canvas");
  canvas.width = ratio * (widths.reduce((sum, width) => sum + width + gap, gap));
  canvas.height = ratio * (Math.max(...heights) + gap);
  const pen = canvas.getContext("2d");
  pen.scale(ratio, ratio);
  pen.fillStyle = colour("card");
  pen.fillRect(0, 0, canvas.width, canvas.height);
  let x = gap;
  columns.forEach((parts, i) => {
    pen.fillStyle = colour("ink");
    pen.font = `600 16px ${colour("font")}`;
    pen.fillText(`${views[i].one.name}: ${timeText(views[i].one.seconds)}`, x, 26);
    let y = 40;
    parts.forEach((part, j) => {
      const [width, height] = sizes[i][j];
      pen.drawImage(part, x, y, width, height);
      y += height + gap;
    });
    x += widths[i] + gap;
  });
  return new Promise(done => canvas.toBlob(done, "image/png"));
}

function exportAs(kind) {
  if (!shown.length) return undefined;
  const name = state.lesson;
  if (kind === "yaml") download(`${name}.yaml`, scenarioYaml(shown), "text/yaml");
  if (kind === "csv") {
    return engine.ask({ask: "csv", runs: requestsOf(state)})
      .then(({text}) => download(`${name}.csv`, text, "text/csv"));
  }
  if (kind === "svg") {
    for (const view of views) {
      const drawing = view.cluster.node.querySelector("svg");
      if (drawing) download(`${name} ${view.one.name}.svg`, standalone(drawing), "image/svg+xml");
    }
  }
  if (kind === "png") return picture(views).then(blob => download(`${name}.png`, blob));
  return undefined;
}

async function share() {
  const address = location.href.split("#")[0] + addressOf(state, false);
  try {
    await navigator.clipboard.writeText(address);
    byId("said").textContent = "The link is copied; who opens it predicts first.";
  } catch (error) {
    byId("said").textContent = address;
  }
}
