// SPDX-License-Identifier: LGPL-2.1-or-later
// Where everything of a machine stands: hosts in a row, each with its parts in layers, and the
// switches above them. All in pixels of the drawing.

const LAYERS = ["nic", "numa", "pcie", "nvswitch", "gpu"];
const HOST_GAP = 10, LAYER_GAP = 22, SWITCH_HEIGHT = 24, SWITCH_GAP = 48;
const BELOW_CHIP = 20;  // the bar of its core, and the share in words
const MOST_HOSTS = 16;  // drawn one by one
const ROW_GAP = 44, PLUG_ABOVE = 26, PLUG_HEIGHT = 13;

/** The ranks on each component. */
function ranksByComponent(machine) {
  const lists = machine.components.map(() => []);
  machine.ranks.forEach((component, rank) => lists[component].push(rank));
  return lists;
}

/** A host's size and the places of its parts from its corner, with ranks of `chip` pixels. */
function layOutHost(machine, host, ranksOn, chip) {
  const parts = machine.components.map((part, index) => ({...part, index}))
    .filter(part => part.host === host);
  const bare = parts.filter(part => part.kind === "numa").length === 1 &&
    !parts.some(part => part.kind === "gpu" || part.kind === "pcie");
  const layers = LAYERS.map(kind => parts.filter(part => part.kind === kind))
    .filter(layer => layer.length);
  let y = 0, width = Math.max(chip + 12, 38);
  const boxes = [];
  for (const layer of layers) {
    let x = 0, height = 0;
    for (const part of layer) {
      const box = partSize(part, ranksOn[part.index], chip, bare);
      boxes.push({...box, part, x, y, layer});
      x += box.width + 8;
      height = Math.max(height, box.height);
    }
    width = Math.max(width, x - 8 + 12);
    layer.width = x - 8;
    y += height + (layer[0].kind === "nic" && bare ? 8 : LAYER_GAP);
  }
  // Each layer spreads over the host, so that what hangs together stands together.
  for (const layer of layers) {
    const rest = (width - 12 - layer.width) / layer.length;
    boxes.filter(box => box.layer === layer)
      .forEach((box, i) => { box.x += 6 + (i + 0.5) * rest; });
  }
  return {host, bare, width, height: y - LAYER_GAP + (bare ? 18 : 16) + 6, boxes};
}

function partSize(part, ranks, chip, bare) {
  if (part.kind === "nic") return {width: Math.min(30, chip + 4), height: 13};
  const least = bare ? chip : Math.max(chip + 8, chip > 18 ? 44 : 34);
  if (part.kind === "nvswitch") return {width: 52, height: 16};
  if (part.kind === "pcie") return {width: Math.min(46, least), height: 16};
  if (!bare && !ranks.length) {
    return {width: part.kind === "gpu" ? least : 52, height: 17, inRow: 1, label: 14};
  }
  const inRow = Math.max(1, Math.min(ranks.length, part.kind === "gpu" ? 1 : 4));
  const rows = Math.max(1, Math.ceil(ranks.length / inRow));
  const label = bare ? 0 : 14;
  return {width: Math.max(least, inRow * (chip + 4) - 4 + (bare ? 0 : 8)),
    height: label + rows * (chip + BELOW_CHIP) - 2, inRow, label};
}

/** How far a switch is above the hosts: 1 for those that NICs plug into. */
function switchLevels(machine) {
  const neighbours = machine.components.map(() => []);
  for (const link of machine.links) {
    neighbours[link.from].push(link.to);
    neighbours[link.to].push(link.from);
  }
  const levels = machine.components.map(part => part.kind === "switch" ? 0 : -1);
  let reached = machine.components.map((_, i) => i).filter(i => levels[i] < 0);
  for (let level = 1; reached.length; ++level) {
    const next = new Set(reached.flatMap(i => neighbours[i]).filter(i => levels[i] === 0));
    for (const i of next) levels[i] = level;
    reached = [...next];
  }
  return {levels, neighbours};
}

/** Whether every host can be drawn in `width` pixels with ranks that can be read. */
function layOutHosts(machine, width) {
  if (machine.hosts.length > MOST_HOSTS) return undefined;
  const ranksOn = ranksByComponent(machine);
  for (const chip of [36, 30, 26, 22, 18]) {
    const hosts = machine.hosts.map((_, host) => layOutHost(machine, host, ranksOn, chip));
    const rows = inRows(hosts, width);
    const fits = hosts.every(host => host.width <= width) &&
      rows.length <= (chip === 18 ? 4 : chip === 22 ? 2 : 1);
    if (fits) return {chip, rows, hosts, ranksOn};
  }
  return undefined;
}

/** As even rows as the width allows. */
function inRows(hosts, width) {
  const widest = Math.max(...hosts.map(host => host.width));
  const inRow = Math.max(1, Math.floor((width + HOST_GAP) / (widest + HOST_GAP)));
  const total = hosts.reduce((sum, host) => sum + host.width + HOST_GAP, -HOST_GAP);
  const rows = total <= width ? 1 : Math.ceil(hosts.length / inRow);
  const each = Math.ceil(hosts.length / rows);
  return Array.from({length: rows}, (_, i) => hosts.slice(i * each, (i + 1) * each));
}

/** Everything with its place: {width, height, hosts, parts, ranks, chip}; undefined: too much. */
function layOut(machine, width) {
  const laid = layOutHosts(machine, width);
  if (!laid) return undefined;
  const {levels, neighbours} = switchLevels(machine);
  const top = Math.max(0, ...levels), parts = [], ranks = [];
  const inPlugs = laid.rows.length > 1;
  let y = top > 0 ? top * (SWITCH_HEIGHT + SWITCH_GAP) - (inPlugs ? SWITCH_GAP - ROW_GAP : 0) : 8;
  for (const row of laid.rows) {
    const used = row.reduce((sum, host) => sum + host.width, 0);
    const gap = Math.min(64, Math.max(HOST_GAP, (width - used) / (row.length + 1)));
    let x = (width - used - gap * (row.length - 1)) / 2;
    for (const host of row) {
      Object.assign(host, {x, y});
      for (const box of host.boxes) placePart(box, host, laid, parts, ranks);
      x += host.width + gap;
    }
    y += Math.max(...row.map(host => host.height)) + (inPlugs ? ROW_GAP : 0);
  }
  placeSwitches(machine, {levels, neighbours, top, width, parts, inPlugs});
  return {width, height: y + 4 - (inPlugs ? ROW_GAP : 0), hosts: laid.hosts, parts, ranks,
    chip: laid.chip, plugs: inPlugs ? placePlugs(machine, neighbours, parts) : undefined};
}

function placePart(box, host, {ranksOn, chip}, parts, ranks) {
  const x = host.x + box.x, y = host.y + box.y;
  parts[box.part.index] = {...box, x, y};
  ranksOn[box.part.index].forEach((rank, i) => {
    const row = Math.floor(i / box.inRow), inThisRow =
      Math.min(box.inRow, ranksOn[box.part.index].length - row * box.inRow);
    const left = x + (box.width - inThisRow * (chip + 4) + 4) / 2;
    ranks[rank] = {x: left + (i % box.inRow) * (chip + 4),
      y: y + box.label + row * (chip + BELOW_CHIP)};
  });
}

/** In rows of hosts a cable would run behind those above: instead each NIC ends in a plug that
 * names its switch. One for each host and switch, over the NICs that it is for. */
function placePlugs(machine, neighbours, parts) {
  const plugs = [];
  machine.hosts.forEach((_, host) => {
    const bySwitch = new Map();
    machine.components.forEach((part, i) => {
      if (part.host !== host || part.kind !== "nic" || !parts[i]) return;
      for (const other of neighbours[i]) {
        if (machine.components[other].kind !== "switch") continue;
        bySwitch.set(other, [...bySwitch.get(other) || [], i]);
      }
    });
    for (const [to, nics] of bySwitch) {
      const left = Math.min(...nics.map(i => parts[i].x));
      const right = Math.max(...nics.map(i => parts[i].x + parts[i].width));
      plugs.push({to, nics, x: left, width: right - left, y: parts[nics[0]].y - PLUG_ABOVE,
        height: PLUG_HEIGHT});
    }
  });
  return plugs;
}

/** Cables between the same two ends as one bundle, with the loads of each direction. */
function bundlesOf(links) {
  const bundles = new Map();
  links.forEach((link, index) => {
    const turned = link.from > link.to;
    const [from, to] = turned ? [link.to, link.from] : [link.from, link.to];
    const key = `${from} ${to}`;
    if (!bundles.has(key)) bundles.set(key, {from, to, links: [], loads: [[], []]});
    const bundle = bundles.get(key);
    bundle.links.push(index);
    [0, 1].forEach(way => bundle.loads[way].push(link.loads[turned ? 1 - way : way]));
  });
  return [...bundles.values()];
}

/** A switch is as wide as what hangs below it, where there is room: cables go straight up. Over
 * hosts in rows, switches stand by their numbers. */
function placeSwitches(machine, {levels, neighbours, top, width, parts, inPlugs}) {
  for (let level = 1; level <= top; ++level) {
    const here = levels.map((l, i) => [l, i]).filter(([l]) => l === level).map(([, i]) => i);
    const most = (width - 8 * (here.length + 1)) / here.length;
    const spans = here.map(i => {
      const below = neighbours[i].filter(n => parts[n])
        .map(n => parts[n].x + parts[n].width / 2);
      if (!below.length) return {i, left: width / 2 - 40, right: width / 2 + 40};
      const [left, right] = [Math.min(...below) - 24, Math.max(...below) + 24];
      return {i, left: Math.max(0, left), right: Math.min(width, right)};
    }).sort((a, b) => inPlugs ? a.i - b.i : a.left + a.right - b.left - b.right);
    const apart = (!inPlugs || spans.length === 1) &&
      spans.every((span, n) => n === 0 || span.left >= spans[n - 1].right + 8);
    let free = 0;
    spans.forEach((span, n) => {
      const boxWidth = apart ? span.right - span.left : Math.min(110, most);
      const rest = (spans.length - n) * (boxWidth + 8) - 8;
      const left = apart ? span.left : inPlugs ? (n + 0.5) * width / spans.length - boxWidth / 2
        : Math.min(Math.max((span.left + span.right - boxWidth) / 2, free), width - rest);
      free = left + boxWidth + 8;
      parts[span.i] = {part: {...machine.components[span.i], index: span.i}, x: left,
        width: boxWidth, y: (top - level) * (SWITCH_HEIGHT + SWITCH_GAP), height: SWITCH_HEIGHT};
    });
  }
}
