// SPDX-License-Identifier: LGPL-2.1-or-later
// The cluster as a drawing: hosts, their parts and ranks, and links as wide as they are loaded.

/** The two ends of a link on the rims of its boxes. */
function ends(a, b) {
  const middle = box => [box.x + box.width / 2, box.y + box.height / 2];
  const [ax, ay] = middle(a), [bx, by] = middle(b);
  if (Math.abs(ay - by) < (a.height + b.height) / 2) {
    return ax < bx ? [a.x + a.width, ay, b.x, by] : [a.x, ay, b.x + b.width, by];
  }
  const landing = (box, x) => {
    const inset = Math.min(10, box.width / 2);
    return Math.max(box.x + inset, Math.min(box.x + box.width - inset, x));
  };
  const wideA = a.part.kind === "switch", wideB = b.part.kind === "switch";
  const x1 = wideA ? landing(a, bx) : ax, x2 = wideB ? landing(b, ax) : bx;
  return ay > by ? [x1, a.y, x2, b.y + b.height] : [x1, a.y + a.height, x2, b.y];
}

/** Where a link is drawn from and to: from a NIC to its plug, where there are plugs. */
function endsOf({parts, plugs}, from, to) {
  const a = parts[from], b = parts[to];
  if (!a || !b) return undefined;
  const plug = plugs && plugs.find(one => one.to === from && one.nics.includes(to) ||
    one.to === to && one.nics.includes(from));
  if (!plug) return ends(a, b);
  const nic = plug.to === from ? b : a, x = nic.x + nic.width / 2;
  const up = [x, nic.y, x, plug.y + plug.height];
  return plug.to === from ? [up[2], up[3], up[0], up[1]] : up;
}

const MOST_CORES = 4;  // of a rank, told one by one
const LANE_SHIFT = 3.5;  // pixels, of unused links as well: before the answer they look like others

class ClusterView {
  constructor(one) {
    this.one = one;
    this.node = element("div", {class: "cluster"});
    tipsOver(this.node, (x, y, event) => this.tipAt(x, y, event));
    this.node.addEventListener("click", ({target}) => {
      if (target.dataset.rank !== undefined) chooseRank(Number(target.dataset.rank));
    });
  }

  resize(width) {
    const machine = this.one.machine;
    this.layout = layOut(machine, width);
    this.queues = new QueuesView(this.one, this.layout);
    this.folded = this.layout ? undefined : new FoldedCluster(this.one, width, this.queues);
    this.node.replaceChildren(this.folded ? this.folded.node : this.drawing(),
      ...this.one.flights.list.length || this.one.flights.isMissing ? [this.queues.words] : []);
  }

  drawing() {
    const {width, height} = this.layout;
    const root = svg("svg", {viewBox: `0 0 ${width} ${height}`, width, height, role: "img",
      "aria-label": `${this.one.about}; ${plural(this.one.machine.hosts.length, "host")} drawn`});
    this.lanes = [];
    this.labels = [];  // above the chunks that move
    this.roomy = this.isRoomy();
    const {components, links} = this.one.machine;
    this.bundles = bundlesOf(links);
    const isCable = bundle => [bundle.from, bundle.to].some(i => components[i].kind === "switch");
    this.shortened = new Map();
    const draw = wanted => this.bundles.forEach((bundle, index) => {
      if (wanted(bundle)) root.append(...this.bundle(bundle, index));
    });
    for (const host of this.layout.hosts) root.append(this.hostBox(host));
    draw(isCable);
    draw(bundle => !isCable(bundle));
    for (const plug of this.layout.plugs || []) root.append(...this.plug(plug));
    for (const place of this.layout.parts) if (place) root.append(...this.part(place));
    this.chips = this.layout.ranks.map((place, rank) => this.rank(place, rank, root));
    this.flights = new FlightsView(this.one, this.layout);
    root.append(this.flights.node, this.queues.node, ...this.labels);
    return root;
  }

  /** What the drawing leaves to be explained, in words: "r0: rack0/switch". */
  words() {
    if (this.folded) return this.folded.words();
    const short = [...this.shortened].map(([words, name]) => `${words}: ${name}`);
    if (!short.length && this.layout.plugs?.length) return "small boxes name the switch of a NIC";
    return short.length > 2 ? `${short[0]}, and so on` : short.join(", ");
  }

  /** Whether there is room for words beside each cable. */
  isRoomy() {
    const nics = this.layout.parts.filter(place => place && place.part.kind === "nic")
      .map(place => [place.y, place.x + place.width / 2])
      .sort((a, b) => a[0] - b[0] || a[1] - b[1]);
    return nics.every(([y, x], i) => i === 0 || nics[i - 1][0] !== y || x - nics[i - 1][1] > 104);
  }

  hostBox(host) {
    const name = this.one.machine.hosts[host.host];
    return svg("g", {class: "host"},
      svg("rect", {x: host.x, y: host.y + 6, width: host.width, height: host.height - 6, rx: 7}),
      text(host.x + host.width / 2, host.y + host.height - 6, name, "name"));
  }

  part({part, x, y, width, height}) {
    const bareHost = this.layout.hosts.find(host => host.host === part.host);
    if (part.kind === "numa" && bareHost && bareHost.bare) return [];
    const box = svg("rect", {class: `part ${part.kind}`, x, y, width, height, rx: 3,
      "data-part": part.index});
    const last = part.name.split("/").pop();
    const word = part.kind === "switch" && part.name.length * 5.6 < width ? part.name : last;
    const low = part.kind === "numa" || part.kind === "gpu" ? y + 10 : y + height / 2 + 3.5;
    this.label(x + width / 2, low, word, "label", `plate ${part.kind}`, 5.2);
    return [box];
  }

  /** Words on a ground of their own, with letters of this width. */
  label(x, y, words, kind, ground, wide) {
    if (!words) return;
    const width = wide * String(words).length + 2;
    this.labels.push(svg("rect", {class: ground, x: x - width / 2, y: y - 8.5, width, height: 10.5,
      rx: 3}), text(x, y, words, kind));
  }

  /** What a NIC is plugged into, by name: as much of it as has room. */
  plug({to, nics, x, y, width, height}) {
    const {name} = this.one.machine.components[to], letters = Math.floor(width / 5.6);
    const short = name.replace(/[a-z]+/i, word => word[0]);
    const shortest = name.replace(/[a-z]+/gi, word => word[0]);  // "r0/s" for rack0/switch
    const numbered = shortest.split("/").findLast(one => /\d/.test(one)) || shortest[0];
    const words = [name, short, shortest, numbered].find(one => one.length <= letters) || "";
    if (words && words !== name) this.shortened.set(words, name);
    this.label(x + width / 2, y + height - 3.5, words, "plug", "plate switch", 5.6);
    return [svg("rect", {class: "part switch", x, y, width, height, rx: 3, "data-part": to,
      "data-nics": nics.length})];
  }

  /** A lane for each direction, side by side, and the width that says how loaded it is. */
  bundle(bundle, index) {
    const between = endsOf(this.layout, bundle.from, bundle.to);
    if (!between) return [];
    const [x1, y1, x2, y2] = between;
    const long = Math.hypot(x2 - x1, y2 - y1) || 1;
    const loads = bundle.loads.map(way => way.filter(load => load >= 0));
    const dx = -(y2 - y1) / long * LANE_SHIFT, dy = (x2 - x1) / long * LANE_SHIFT;
    const made = [];
    [[1, loads[0]], [-1, loads[1]]].forEach(([side, used]) => {
      const line = {x1: x1 + side * dx, y1: y1 + side * dy, x2: x2 + side * dx, y2: y2 + side * dy};
      made.push(svg("line", {class: "lane", ...line}));
      if (!used.length) return;
      const loaded = svg("line", {class: "load", ...line});
      made.push(loaded);
      this.lanes.push({used, of: bundle.links.length, loaded,
        label: this.laneLabel(bundle, side, between, made)});
    });
    made.push(svg("line", {class: "target", x1, y1, x2, y2, "data-bundle": index}));
    if (bundle.links.length > 1) {
      this.label((x1 + x2) / 2, (y1 + y2) / 2 + 3.5, `${bundle.links.length} cables`, "count",
        "plate", 6.4);
    }
    return made;
  }

  /** Beside the NIC of a cable, where there is room for it. */
  laneLabel(bundle, side, [x1, y1, x2, y2], made) {
    const {parts} = this.layout, kinds = [bundle.from, bundle.to].map(i => parts[i].part.kind);
    const nic = kinds.indexOf("nic");
    if (nic < 0 || !kinds.includes("switch") || !this.roomy || this.layout.plugs) return undefined;
    const [x, y] = nic === 0 ? [x1, y1] : [x2, y2];
    const up = (side > 0) === (nic === 0);
    // To the right of what goes up and to the left of what comes down, as the lanes lie.
    const label = text(x + (up ? 9 : -9), y - 9, "", "share");
    label.setAttribute("text-anchor", up ? "start" : "end");
    label.dataset.arrow = up ? "\u2191" : "\u2193";
    made.push(label);
    return label;
  }

  rank({x, y}, rank, root) {
    const chip = this.layout.chip, plate = Math.min(chip - 8, 9 + 6 * String(rank).length);
    const box = svg("rect", {class: "rank", x, y, width: chip, height: chip, rx: 5,
      "data-rank": rank});
    const bar = svg("rect", {class: "core", x, y: y + chip + 2, height: 5, width: 0, rx: 1.5});
    const share = chip < 26 ? undefined : text(x + chip / 2, y + chip + 16, "", "core-share");
    root.append(box,
      svg("rect", {class: "plate", x: x + (chip - plate) / 2, y: y + chip / 2 - 7.5,
        width: plate, height: 15, rx: 4}),
      text(x + chip / 2, y + chip / 2 + 4, rank, "number"),
      svg("rect", {class: "groove", x, y: y + chip + 2, height: 5, width: chip, rx: 1.5}), bar);
    if (share) root.append(share);
    return {box, bar, share};
  }

  draw(tick) {
    this.tick = tick;
    this.queues.draw(tick);
    if (this.folded) return this.folded.draw(tick);
    this.flights.draw(tick);
    for (const {used, of, loaded, label} of this.lanes) {
      const share = used.reduce((sum, load) => sum + this.one.load(load, tick), 0) / of;
      loaded.style.strokeWidth = share > 0 ? (1.5 + 4.5 * share).toFixed(2) : 0;
      if (label) label.textContent = share > 0 ? `${label.dataset.arrow}${percent(share)}` : "";
    }
    this.chips.forEach(({box, bar, share}, rank) => {
      const span = this.one.spans.at(rank, tick);
      box.style.fill = `url(#hatch-${kindOf(span)})`;
      box.classList.toggle("chosen", rank === chosen.rank);
      const busy = this.one.coreLoad(rank, tick);
      bar.setAttribute("width", (this.layout.chip * busy).toFixed(2));
      if (share) share.textContent = tick < TICKS ? percent(busy) : "";
    });
  }

  tipAt(x, y, event) {
    if (this.folded) return this.folded.tipAt(x, y, this.tick);
    const {rank, bundle, part} = event.target.dataset || {};
    if (rank !== undefined) {
      return [...rankTip(this.one, Number(rank), this.tick), ...this.queues.tip({rank: +rank})];
    }
    if (bundle !== undefined) return bundleTip(this.one, this.bundles[bundle], this.tick);
    if (part !== undefined) {
      return [...partTip(this.one.machine.components[part]), ...this.queues.tip({part: +part})];
    }
    return undefined;
  }
}

function text(x, y, words, kind) {
  return svg("text", {x, y, class: kind, "text-anchor": "middle"}, String(words));
}

function rankTip(one, rank, tick) {
  const span = one.spans.at(rank, tick), report = one.report.ranks[rank];
  const lines = [`rank ${rank} on ${report.host}, NUMA domain ${report.numa}`];
  lines.push(spanText(one, span, rank));
  if (span && span.place >= 0 && one.spans.places[span.place][0]) {
    const [phase, step] = one.spans.places[span.place];
    lines.push(stepText({phase, step}, one.stepCounts[phase]));
  }
  const cores = [...one.coresOf[rank]].sort((a, b) => one.load(b, tick) - one.load(a, tick) ||
    one.loads[b].mean - one.loads[a].mean);
  for (const core of cores.slice(0, MOST_CORES)) {
    const {name, mean} = one.loads[core];
    lines.push(`${name}: ${percent(one.load(core, tick))} now, ` +
      `${percent(mean)} overall`);
  }
  const others = cores.length - MOST_CORES;
  return others > 0 ? [...lines, `and ${others} more, none as busy`] : lines;
}

/** Of several cables their mean, and the most of one. */
function bundleTip(one, bundle, tick) {
  const names = [bundle.from, bundle.to].map(i => one.machine.components[i].name);
  const {bandwidth, latency} = one.machine.links[bundle.links[0]], count = bundle.links.length;
  const lines = [names.join(" \u2014 "),
    [count > 1 ? `${count} cables of` : "", bandwidth, latency].filter(Boolean).join(", ")
      .replace("of,", "of")];
  bundle.loads.forEach((all, i) => {
    const used = all.filter(load => load >= 0);
    if (!used.length) return;
    const mean = of => used.reduce((sum, load) => sum + of(load), 0) / count;
    const now = mean(load => one.load(load, tick)), overall = mean(load => one.loads[load].mean);
    const most = Math.max(...used.map(load => one.loads[load].mean));
    lines.push(`${i === 0 ? "to" : "from"} ${names[1]}: ${percent(now)} now, ` +
      `${percent(overall)} overall` + (count > 1 ? `, ${percent(most)} in the busiest` : ""));
  });
  return lines.filter(Boolean);
}

function partTip(part) {
  return [part.name, ...part.cores ? [plural(part.cores, "core")] : []];
}
