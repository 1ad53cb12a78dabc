// SPDX-License-Identifier: LGPL-2.1-or-later
// A cluster of more hosts than can be drawn one by one: a square for each, by the switch that it is
// plugged into, filled as its links are loaded.

const TALL = 200, LARGEST = 26;  // pixels: of all hosts, of the square of one
const GAP = 3, BAR = 4;  // pixels: between squares; of what waits, beside a square

class FoldedCluster {
  /** `queues`: what waits for the cores and NICs of each host. */
  constructor(one, width, queues) {
    Object.assign(this, {one, width, queues});
    this.gap = one.flights.list.length ? GAP + BAR : GAP;
    this.node = element("canvas", {role: "img",
      "aria-label": `${plural(one.machine.hosts.length, "host")}, folded: one square each`});
    this.hosts = this.findHosts();
    this.place();
    this.context = sharpen(this.node, width, this.height);
  }

  /** Of each host its ranks, the switch above, and what it sends and receives through. */
  findHosts() {
    const {machine} = this.one;
    const hosts = machine.hosts.map(name => ({name, ranks: [], out: [], into: [], above: -1}));
    machine.ranks.forEach((component, rank) => {
      hosts[machine.components[component].host].ranks.push(rank);
    });
    for (const link of machine.links) {
      const [a, b] = [link.from, link.to].map(i => machine.components[i]);
      if (a.kind === "nic" && b.kind === "switch") {
        hosts[a.host].above = link.to;
        hosts[a.host].out.push(link.loads[0]);
        hosts[a.host].into.push(link.loads[1]);
      } else if (b.kind === "nic" && a.kind === "switch") {
        hosts[b.host].above = link.from;
        hosts[b.host].out.push(link.loads[1]);
        hosts[b.host].into.push(link.loads[0]);
      }
    }
    return hosts;
  }

  place() {
    const groups = Map.groupBy ? Map.groupBy(this.hosts, host => host.above)
      : this.hosts.reduce((map, host) =>
        map.set(host.above, [...map.get(host.above) || [], host]), new Map());
    this.roomy = this.width > 700;
    const share = Math.sqrt(this.width * TALL / this.hosts.length);  // side of a square that fills
    this.size = Math.max(8, Math.min(LARGEST, Math.floor(share) - this.gap));
    const side = this.size + this.gap, most = Math.max(1, Math.floor((this.width - 14) / side));
    this.groups = [];
    let x = 0, y = 0, high = 0;
    for (const [above, hosts] of groups) {
      const columns = groups.size === 1 ? most
        : Math.min(most, Math.max(4, Math.ceil(Math.sqrt(hosts.length * 2))));
      const width = Math.max(this.roomy ? 112 : 60, columns * side + 9);
      const height = Math.ceil(hosts.length / columns) * side + 24;
      if (x > 0 && x + width > this.width) {
        x = 0;
        y += high + 8;
        high = 0;
      }
      const name = above < 0 ? "" : this.one.machine.components[above].name;
      this.groups.push({name, x, y, width, height, uplinks: this.uplinks(above)});
      hosts.forEach((host, i) => {
        host.x = x + 6 + (i % columns) * side;
        host.y = y + 18 + Math.floor(i / columns) * side;
      });
      x += width + 8;
      high = Math.max(high, height);
    }
    this.height = y + high + 1;
  }

  /** The links from a switch to others. */
  uplinks(above) {
    const {components, links} = this.one.machine;
    return links.filter(({from, to}) => (from === above || to === above) &&
      components[from].kind === "switch" && components[to].kind === "switch")
      .flatMap(link => link.loads).filter(load => load >= 0);
  }

  words() {
    const loaded = this.hosts.some(({out, into}) => out.length || into.length);
    return "a square is a host" +
      (loaded ? ": on the left what it sends, on the right what it receives" : "") +
      (this.gap > GAP ? ", beside it, in orange, how much waits for its NICs and cores" : "");
  }

  most(loads, tick) {
    return Math.max(0, ...loads.map(load => this.one.load(load, tick)));
  }

  draw(tick) {
    const pen = this.context;
    pen.clearRect(0, 0, this.width, this.height);
    pen.lineWidth = 1;
    pen.font = `11px ${colours.of("font")}`;
    for (const group of this.groups) {
      pen.fillStyle = colours.of("part");
      pen.strokeStyle = colours.of("line");
      pen.fillRect(group.x, group.y, group.width, group.height);
      pen.strokeRect(group.x + 0.5, group.y + 0.5, group.width - 1, group.height - 1);
      const up = this.most(group.uplinks, tick);
      pen.fillStyle = colours.of("soft");
      pen.textAlign = "left";
      pen.fillText(group.name, group.x + 6, group.y + 13, group.width - (this.roomy ? 52 : 8));
      pen.textAlign = "right";
      if (up > 0 && this.roomy) {
        pen.fillText(`\u2191${percent(up)}`, group.x + group.width - 5, group.y + 13);
      }
    }
    const half = this.size / 2 - 0.5;
    for (const host of this.hosts) {
      pen.fillStyle = colours.of("groove");
      pen.fillRect(host.x, host.y, half, this.size);
      pen.fillRect(host.x + half + 1, host.y, half, this.size);
      pen.fillStyle = colours.of("load");
      [host.out, host.into].forEach((loads, i) => {
        const high = this.size * this.most(loads, tick);
        pen.fillRect(host.x + i * (half + 1), host.y + this.size - high, half, high);
      });
    }
    pen.fillStyle = colours.of("new");
    const longest = Math.max(...views.map(({cluster}) => cluster.queues.most.bytes));
    for (const [host, bytes] of this.waiting()) {
      const high = Math.max(1, this.size * bytes / Math.max(bytes, longest));
      pen.fillRect(host.x + this.size + 0.5, host.y + this.size - high, BAR, high);
    }
  }

  /** Bytes that wait for each host's NICs and cores; those for switches are only in words. */
  waiting() {
    const {components, ranks} = this.one.machine, sums = new Map();
    for (const {rank, part, bytes} of this.queues.queues) {
      const host = this.hosts[components[rank === undefined ? part : ranks[rank]].host];
      if (host) sums.set(host, (sums.get(host) || 0) + bytes);
    }
    return sums;
  }

  tipAt(x, y, tick) {
    const host = this.hosts.find(one => x >= one.x && x < one.x + this.size + 2 &&
      y >= one.y && y < one.y + this.size + 2);
    if (!host) return undefined;
    const ranks = host.ranks.length > 8 ? plural(host.ranks.length, "rank")
      : `rank${host.ranks.length === 1 ? "" : "s"} ${host.ranks.join(", ")}`;
    const waits = this.waiting().get(host);
    return [`${host.name}, ${ranks}`, `sends: ${percent(this.most(host.out, tick))} of its link`,
      `receives: ${percent(this.most(host.into, tick))} of its link`,
      ...waits ? [`waiting: ${quantity(waits, SIZE_UNITS)}`] : []];
  }
}
