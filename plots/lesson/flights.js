// SPDX-License-Identifier: LGPL-2.1-or-later
// Chunks on their way: each as a dot from the rank that has it to the rank that gets it.

const MOST_CHANGES = 20000, MOST_DOTS = 200;
const BACK = 6;  // spans between the arrival of a chunk and its change: a reduction, a copy

class Flights {
  /** Flights of one case, by their start: {start, end, from, to, count, chunk}, in ticks. */
  constructor(one) {
    this.one = one;
    this.list = one.chunks.none || one.chunks.at.length > MOST_CHANGES ? [] : this.found();
    this.longest = Math.max(0, ...this.list.map(({start, end}) => end - start));
    this.ways = new Map();
  }

  /**
   * A chunk travels while its receiver waits for the sender, from the time at which the sender has
   * it. Chunks of one message fly together.
   */
  found() {
    const {chunks, spans} = this.one, flights = new Map(), ready = new Map();
    chunks.at.forEach((tick, i) => {
      const cell = chunks.cell[i], to = Math.floor(cell / chunks.count);
      const chunk = cell % chunks.count;
      const wait = this.waitBefore(spans.rows[to], tick);
      if (wait) {
        const start = Math.max(wait.start, ready.get(wait.peer * chunks.count + chunk) || 0);
        const key = `${wait.peer} ${to} ${wait.end} ${start}`;
        if (flights.has(key)) ++flights.get(key).count;
        else if (start < wait.end) {
          flights.set(key, {start, end: wait.end, from: wait.peer, to, chunk, count: 1});
        }
      }
      ready.set(cell, tick);
    });
    return [...flights.values()].sort((a, b) => a.start - b.start);
  }

  /** The last span of a rank that waits for a partner and ends by `tick`. */
  waitBefore(row, tick) {
    let low = 0, high = row.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (row[middle].end <= tick + 1) low = middle + 1;
      else high = middle;
    }
    for (let i = low - 1; i >= Math.max(0, low - BACK); --i) {
      if (row[i].peer >= 0 && row[i].activity === 5) return row[i];
    }
    return undefined;
  }

  at(tick) {
    let low = 0, high = this.list.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.list[middle].start <= tick) low = middle + 1;
      else high = middle;
    }
    const flying = [];
    for (let i = low - 1; i >= 0 && flying.length < MOST_DOTS; --i) {
      if (this.list[i].start < tick - this.longest) break;
      if (this.list[i].end > tick) flying.push(this.list[i]);
    }
    return flying;
  }

  /** Components between two ranks, in the fewest links; a link is drawn if both ends are. */
  way(from, to) {
    const key = `${from} ${to}`;
    if (!this.ways.has(key)) this.ways.set(key, this.searched(from, to));
    return this.ways.get(key);
  }
  searched(from, to) {
    const {links, ranks, components} = this.one.machine, goal = ranks[to];
    this.near ||= links.reduce((near, {from: a, to: b}) => {
      (near[a] ||= []).push(b);
      (near[b] ||= []).push(a);
      return near;
    }, components.map(() => undefined));
    const before = new Map([[ranks[from], -1]]), queue = [ranks[from]];
    for (let i = 0; i < queue.length && !before.has(goal); ++i) {
      for (const next of this.near[queue[i]] || []) {
        if (before.has(next)) continue;
        before.set(next, queue[i]);
        queue.push(next);
      }
    }
    const way = [];
    for (let one = goal; before.has(one); one = before.get(one)) way.unshift(one);
    return way;
  }
}

/** A point at a share of the length of a line of points. */
function pointAlong(points, share) {
  const lengths = points.slice(1).map(([x, y], i) =>
    Math.hypot(x - points[i][0], y - points[i][1]));
  let left = share * lengths.reduce((sum, length) => sum + length, 0);
  for (let i = 0; i < lengths.length; ++i) {
    if (left <= lengths[i] && lengths[i] > 0) {
      const part = left / lengths[i];
      return [0, 1].map(axis => points[i][axis] + part * (points[i + 1][axis] - points[i][axis]));
    }
    left -= lengths[i];
  }
  return points.at(-1);
}

/** The dots over the drawing of a cluster. */
class FlightsView {
  constructor(one, layout) {
    this.flights = new Flights(one);
    this.layout = layout;
    this.node = svg("g", {class: "flights", "aria-hidden": "true"});
    this.lines = new Map();
  }

  /** From chip to chip, by the middles of the switches and NICs between them. */
  lineOf(from, to) {
    const key = `${from} ${to}`;
    if (this.lines.has(key)) return this.lines.get(key);
    const {ranks, parts, chip} = this.layout;
    const middle = ({x, y, width = chip, height = chip}) => [x + width / 2, y + height / 2];
    const way = this.flights.way(from, to).slice(1, -1).filter(i =>
      parts[i] && ["nic", "switch", "nvswitch", "pcie"].includes(parts[i].part.kind));
    const line = [middle(ranks[from]), ...way.map(i => middle(parts[i])), middle(ranks[to])];
    line.forEach((point, i) => {  // a wide switch is crossed straight up and down
      if (i && i < line.length - 1 && parts[way[i - 1]].part.kind === "switch") {
        point[0] = (line[i - 1][0] + line[i + 1][0]) / 2;
      }
    });
    this.lines.set(key, line);
    return line;
  }

  draw(tick) {
    this.node.replaceChildren(...this.flights.at(tick).flatMap(({from, to, start, end, chunk,
      count}) => {
      const [x, y] = pointAlong(this.lineOf(from, to), (tick - start) / (end - start));
      const words = count > 1 ? `\u00d7${count}` : chunk;
      return [svg("circle", {cx: x, cy: y, r: 8}), svg("text", {x, y: y + 4,
        "text-anchor": "middle"}, String(words))];
    }));
  }
}
