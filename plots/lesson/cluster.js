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

class ClusterView {
  constructor(one) {
    this.one = one;
    this.node = element("div", {class: "cluster"});
    tipsOver(this.node, (x, y, event) => this.tipAt(x, y, event));
  }

  resize(width) {
    const machine = this.one.machine;
    this.layout = layOut(machine, width);
    this.folded = this.layout ? undefined : new FoldedCluster(this.one, width);
    this.node.replaceChildren(this.folded ? this.folded.node : this.drawing());
  }

  drawing() {
    const {width, height} = this.layout;
    const root = svg("svg", {viewBox: `0 0 ${width} ${height}`, width, height, role: "img",
      "aria-label": `${this.one.about}; ${plural(this.one.machine.hosts.length, "host")} drawn`});
    this.lanes = [];
    this.roomy = this.isRoomy();
    const {components, links} = this.one.machine;
    const isCable = link => [link.from, link.to].some(i => components[i].kind === "switch");
    const draw = wanted => links.forEach((link, index) => {
      if (wanted(link)) root.append(...this.link(link, index));
    });
    // A cable to a lower row of hosts passes behind those of the upper one.
    draw(isCable);
    for (const host of this.layout.hosts) root.append(this.hostBox(host));
    draw(link => !isCable(link));
    for (const place of this.layout.parts) if (place) root.append(...this.part(place));
    this.chips = this.layout.ranks.map((place, rank) => this.rank(place, rank, root));
    return root;
  }

  /** Whether there is room for words beside each cable. */
  isRoomy() {
    const nics = this.layout.parts.filter(place => place && place.part.kind === "nic")
      .map(place => [place.y, place.x + place.width / 2])
      .sort((a, b) => a[0] - b[0] || a[1] - b[1]);
    return nics.every(([y, x], i) => i === 0 || nics[i - 1][0] !== y || x - nics[i - 1][1] > 96);
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
    const word = part.name.split("/").pop();
    const low = part.kind === "numa" || part.kind === "gpu" ? y + 10 : y + height / 2 + 3.5;
    return [box, text(x + width / 2, low, word, "label")];
  }

  /** A lane for each direction, side by side, and the width that says how loaded it is. */
  link(link, index) {
    const a = this.layout.parts[link.from], b = this.layout.parts[link.to];
    if (!a || !b) return [];
    const [x1, y1, x2, y2] = ends(a, b);
    const long = Math.hypot(x2 - x1, y2 - y1) || 1;
    const shift = link.loads[0] >= 0 || link.loads[1] >= 0 ? 3.5 : 0;
    const dx = -(y2 - y1) / long * shift, dy = (x2 - x1) / long * shift;
    const made = [];
    [[1, link.loads[0]], [-1, link.loads[1]]].forEach(([side, load]) => {
      const line = {x1: x1 + side * dx, y1: y1 + side * dy, x2: x2 + side * dx, y2: y2 + side * dy};
      made.push(svg("line", {class: "lane", ...line}));
      if (load < 0) return;
      const loaded = svg("line", {class: "load", ...line});
      made.push(loaded);
      this.lanes.push({load, loaded, label: this.laneLabel(link, side, [x1, y1, x2, y2], made)});
    });
    made.push(svg("line", {class: "target", x1, y1, x2, y2, "data-link": index}));
    return made;
  }

  /** Beside the NIC of a cable, where there is room for it. */
  laneLabel(link, side, [x1, y1, x2, y2], made) {
    const parts = this.layout.parts, kinds = [link.from, link.to].map(i => parts[i].part.kind);
    const nic = kinds.indexOf("nic");
    if (nic < 0 || !kinds.includes("switch") || !this.roomy) return undefined;
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
    if (this.folded) return this.folded.draw(tick);
    for (const {load, loaded, label} of this.lanes) {
      const share = this.one.load(load, tick);
      loaded.style.strokeWidth = share > 0 ? (1.5 + 4.5 * share).toFixed(2) : 0;
      if (label) label.textContent = share > 0 ? `${label.dataset.arrow}${percent(share)}` : "";
    }
    this.chips.forEach(({box, bar, share}, rank) => {
      const span = this.one.spans.at(rank, tick);
      box.style.fill = `url(#hatch-${ACTIVITIES[span ? span.activity : 6]})`;
      const busy = this.one.coreLoad(rank, tick);
      bar.setAttribute("width", (this.layout.chip * busy).toFixed(2));
      if (share) share.textContent = tick < TICKS ? percent(busy) : "";
    });
  }

  tipAt(x, y, event) {
    if (this.folded) return this.folded.tipAt(x, y, this.tick);
    const {rank, link, part} = event.target.dataset || {};
    if (rank !== undefined) return rankTip(this.one, Number(rank), this.tick);
    if (link !== undefined) return linkTip(this.one, this.one.machine.links[link], this.tick);
    if (part !== undefined) return partTip(this.one.machine.components[part]);
    return undefined;
  }
}

function text(x, y, words, kind) {
  return svg("text", {x, y, class: kind, "text-anchor": "middle"}, String(words));
}

function rankTip(one, rank, tick) {
  const span = one.spans.at(rank, tick), report = one.report.ranks[rank];
  const lines = [`rank ${rank} on ${report.host}, NUMA domain ${report.numa}`];
  const doing = ACTIVITY_WORDS[span ? span.activity : 6];
  lines.push(span && span.peer >= 0 ? `${doing}, rank ${span.peer}` : doing);
  if (span && span.place >= 0 && one.spans.places[span.place][0]) {
    const [phase, step] = one.spans.places[span.place];
    lines.push(stepText({phase, step}, one.stepCounts[phase]));
  }
  for (const core of one.coresOf[rank]) {
    const load = one.loads[core];
    lines.push(`${load.name}: ${percent(one.load(core, tick))} now, ${percent(load.mean)} overall`);
  }
  return lines;
}

function linkTip(one, link, tick) {
  const names = [link.from, link.to].map(i => one.machine.components[i].name);
  const lines = [names.join(" \u2014 "), [link.bandwidth, link.latency].filter(Boolean).join(", ")];
  link.loads.forEach((load, i) => {
    const way = i === 0 ? "to" : "from";
    if (load < 0) return;
    lines.push(`${way} ${names[1]}: ${percent(one.load(load, tick))} now, ` +
      `${percent(one.loads[load].mean)} overall`);
  });
  return lines.filter(Boolean);
}

function partTip(part) {
  return [part.name, ...part.cores ? [plural(part.cores, "core")] : []];
}
