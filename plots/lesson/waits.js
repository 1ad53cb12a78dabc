// SPDX-License-Identifier: LGPL-2.1-or-later
// Who waits for whom when a run cannot go on: ranks on a circle, an arrow from each to whom it
// waits for. Those that wait for each other stand first, and stand out.

const MOST_WAITING = 24;  // drawn; of more the first, in words
const MOST_WAITS = 12;    // in words
const DISC = 16;

class WaitsView {
  constructor(one) {
    this.one = one;
    const {waits, cycle, text} = one.report.deadlock;
    this.waits = waits;
    this.cycle = cycle;
    this.ranks = this.shownRanks();
    this.picture = element("div");
    const told = waits.slice(0, MOST_WAITS).map(wait => `rank ${wait.rank} ${wait.text}`);
    if (waits.length > told.length) told.push(`and ${waits.length - told.length} more`);
    told.push(...text.split("\n").slice(1));
    this.node = element("div", {class: "waits"}, this.picture,
      element("ul", {}, told.map(words => element("li", {}, words))));
  }

  /** Those of the cycle in its order, then the others; of the job that is asked about. */
  shownRanks() {
    const all = [...this.cycle, ...this.waits.flatMap(wait => [wait.rank, ...wait.for_ranks])];
    const known = [...new Set(all)].filter(rank => rank < this.one.report.ranks_count);
    return known.slice(0, MOST_WAITING);
  }

  inCycle(from, to) {
    const at = this.cycle.indexOf(from);
    return at >= 0 && this.cycle[(at + 1) % this.cycle.length] === to;
  }

  resize(width) {
    const count = this.ranks.length, margin = 2 * DISC + 14;
    const radius = Math.max(20, Math.min(width / 2 - margin - 60, Math.max(58, count * 9)));
    this.middle = width / 2;
    this.height = count > 2 ? 2 * (radius + margin) : 2 * margin;
    this.radius = radius;
    const edges = this.waits.flatMap(wait => [...new Set(wait.for_ranks)]
      .map(peer => [wait.rank, peer]))
      .filter(pair => pair.every(rank => this.ranks.includes(rank)));
    const chain = this.cycle.map(rank => `rank ${rank}`).join(" for ");
    this.picture.replaceChildren(svg("svg", {width: Math.max(1, width), height: this.height,
      role: "img", "aria-label": chain ? `${chain} for rank ${this.cycle[0]} waits` :
        `${plural(this.waits.length, "rank")} wait`},
    ...edges.flatMap(([from, to]) => this.edge(from, to)),
    ...this.ranks.map(rank => this.disc(rank))));
  }

  angle(rank) {
    const first = this.ranks.length > 2 ? -0.25 : 0.5;  // above the others; left of the other
    return (first + this.ranks.indexOf(rank) / this.ranks.length) * 2 * Math.PI;
  }
  place(rank, radius = this.radius) {
    return [this.middle + radius * Math.cos(this.angle(rank)),
      this.height / 2 + radius * Math.sin(this.angle(rank))];
  }

  /** Bent to its left, so that two ranks that wait for each other have an arrow each. */
  edge(from, to) {
    const [ax, ay] = this.place(from), [bx, by] = this.place(to);
    const long = Math.hypot(bx - ax, by - ay) || 1, bend = Math.min(30, long / 5);
    const cx = (ax + bx) / 2 + (by - ay) / long * bend;
    const cy = (ay + by) / 2 - (bx - ax) / long * bend;
    const towards = (x, y, far_by) => {
      const far = Math.hypot(cx - x, cy - y) || 1;
      return [x + (cx - x) / far * far_by, y + (cy - y) / far * far_by];
    };
    const [x1, y1] = towards(ax, ay, DISC + 2), [x2, y2] = towards(bx, by, DISC + 12);
    const [tipX, tipY] = towards(bx, by, DISC + 3), far = Math.hypot(tipX - x2, tipY - y2) || 1;
    const [sx, sy] = [-(tipY - y2) / far * 5, (tipX - x2) / far * 5];
    const kind = this.inCycle(from, to) ? " cycle" : "";
    return [svg("path", {class: `wait${kind}`, d: `M${x1} ${y1}Q${cx} ${cy} ${x2} ${y2}`}),
      svg("path", {class: `tip-of${kind}`,
        d: `M${tipX} ${tipY}L${x2 + sx} ${y2 + sy}L${x2 - sx} ${y2 - sy}Z`})];
  }

  disc(rank) {
    const [x, y] = this.place(rank), [tx, ty] = this.place(rank, this.radius + DISC + 8);
    const side = Math.cos(this.angle(rank)), below = Math.sin(this.angle(rank));
    const waits = this.waits.some(wait => wait.rank === rank);
    const kind = this.cycle.includes(rank) ? "cycle" : waits ? "" : "ended";
    const where = this.one.report.ranks[rank].host + (waits ? "" : ", ended");
    const words = text(tx, ty + 4 + 4 * below, where, "where");
    words.setAttribute("text-anchor", side > 0.3 ? "start" : side < -0.3 ? "end" : "middle");
    return svg("g", {}, svg("circle", {cx: x, cy: y, r: DISC, class: kind}),
      text(x, y + 4.5, rank, "number"), words);
  }
}
