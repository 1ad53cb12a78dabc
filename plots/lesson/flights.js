// SPDX-License-Identifier: LGPL-2.1-or-later
// Chunks on their way: each as a dot from the rank that has it to the rank that gets it; messages
// where the program says so.

const MOST_DOTS = 200;
const OVERHEAD = 3, IN_SEND = 4, IN_WAIT = 5;  // activities

class Flights {
  /** Flights of one case, by their start: {start, end, from, to}, in ticks, with the `count` of its
   * chunks and the first `chunk`, or with `bytes`. */
  constructor(one) {
    this.one = one;
    this.list = one.follows === "chunks" ? this.found() : this.ofMessages();
    this.isMissing = one.follows === "nothing" && one.report.bytes_on_wire > 0;
    this.longest = Math.max(0, ...this.list.map(({start, end}) => end - start));
    this.ways = new Map();
  }

  /** Messages come by their ends. Of one pair of ranks they pass in order: each from when it is
   * sent and the one before has passed. */
  ofMessages() {
    const passed = new Map();
    return this.one.messages.filter(([start, end]) => start < end)
      .map(([start, end, from, to, bytes]) => {
        const key = `${from} ${to}`, flows = Math.max(start, passed.get(key) || 0);
        passed.set(key, end);
        return {start, end, from, to, bytes, flows};
      }).sort((a, b) => a.start - b.start);
  }

  /**
   * A chunk travels from the time at which its sender has it and begins to send, until it arrives;
   * its addition is no arrival. Chunks of one message fly together.
   */
  found() {
    const {chunks, spans} = this.one, flights = new Map(), ready = new Map();
    const cells = chunks.cells.slice(), senders = this.senders(spans.rows);
    for (let i = chunks.next - 1; i >= 0; --i) cells[chunks.cell[i]] = chunks.before[i];
    chunks.at.forEach((end, i) => {
      const cell = chunks.cell[i], to = Math.floor(cell / chunks.count);
      const chunk = cell % chunks.count, is = chunks.holdings[chunks.after[i]];
      const more = is.waiting - chunks.holdings[chunks.before[i]].waiting;
      const arrived = more > 0 ? is.waitingRuns : is.runs;
      const holds = from => chunks.holdings[cells[from * chunks.count + chunk]];
      let best;
      for (const [from, starts] of more < 0 ? [] : senders[to]) {
        const begun = lastBefore(starts, end), right = holds(from).runs === arrived;
        if (begun === undefined || !holds(from).contributions || best?.right > right) continue;
        if (!best || right > best.right || begun > best.begun) best = {from, begun, right};
      }
      if (best) {
        const {from, begun} = best;
        const start = Math.max(begun, ready.get(from * chunks.count + chunk) || 0);
        const key = `${from} ${to} ${end} ${start}`;
        if (flights.has(key)) ++flights.get(key).count;
        else if (start < end) flights.set(key, {start, end, from, to, chunk, count: 1});
      }
      cells[cell] = chunks.after[i];
      ready.set(cell, end);
    });
    return [...flights.values()].sort((a, b) => a.start - b.start);
  }

  /**
   * Of each rank those that send to it, with the starts of these sends. Of a sender without spans
   * of its own, as where a NIC sends, it is known that the receiver waits for it.
   */
  senders(rows) {
    const all = rows.map(() => new Map()), waits = rows.map(() => new Map());
    const add = (map, from, start) => map.set(from, [...map.get(from) || [], start]);
    rows.forEach((row, rank) => row.forEach(({activity, peer, start}, i) => {
      const before = row[i - 1], goesOn = before?.peer === peer && before.end === start;
      if (peer < 0 || peer === rank || goesOn && before.activity >= OVERHEAD) return;
      if (activity === IN_WAIT) add(waits[rank], peer, start);
      else if (activity === OVERHEAD || activity === IN_SEND) add(all[peer], rank, start);
    }));
    all.forEach((known, to) => waits[to].forEach((starts, from) => {
      if (!known.has(from)) known.set(from, starts);
    }));
    return all;
  }

  at(tick, most = MOST_DOTS) {
    const flying = [], begun = countOf(this.list, ({start}) => start <= tick);
    for (let i = begun - 1; i >= 0 && flying.length < most; --i) {
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

/** The last of sorted numbers that is below `most`; undefined if none is. */
const lastBefore = (numbers, most) => numbers[countOf(numbers, number => number < most) - 1];

/** A point at a share of the length of lines of points, one after the other. */
function pointAlong(lines, share) {
  const steps = lines.flatMap(points => points.slice(1).map((point, i) => [points[i], point]));
  const lengths = steps.map(([[x, y], [x2, y2]]) => Math.hypot(x2 - x, y2 - y));
  let left = share * lengths.reduce((sum, length) => sum + length, 0);
  for (const [i, [from, to]] of steps.entries()) {
    if (left <= lengths[i] && lengths[i] > 0) {
      return [0, 1].map(axis => from[axis] + left / lengths[i] * (to[axis] - from[axis]));
    }
    left -= lengths[i];
  }
  return lines.at(-1).at(-1);
}

/** The dots over the drawing of a cluster. */
class FlightsView {
  constructor(one, layout) {
    this.flights = one.flights;
    this.layout = layout;
    this.node = svg("g", {class: "flights", "aria-hidden": "true"});
    this.lines = new Map();
  }

  /** From chip to chip along the cables that are drawn; a line ends in a plug, and another begins.
   * Above the chips, so that no dot hides a number. */
  linesOf(from, to) {
    const key = `${from} ${to}`;
    if (this.lines.has(key)) return this.lines.get(key);
    const {ranks, parts, chip, plugs} = this.layout;
    const way = this.flights.way(from, to).slice(1, -1).filter(i =>
      parts[i] && ["nic", "switch", "nvswitch", "pcie"].includes(parts[i].part.kind));
    const above = ({x, y}) => [x + chip / 2, y - 4], lines = [[above(ranks[from])]];
    const add = (...point) => lines.at(-1).push(point);
    const middleOf = ({y, height}) => y + height / 2;
    way.forEach((one, i) => {
      const here = parts[one], next = parts[way[i + 1]], {kind} = here.part;
      if (kind !== "switch") add(here.x + here.width / 2, middleOf(here));
      if (!next) return;
      const [x1, y1, x2, y2] = endsOf(this.layout, one, way[i + 1]), other = next.part.kind;
      if (plugs && kind === "nic" && other === "switch") {
        add(x2, y2);
        lines.push([]);
      } else if (plugs && kind === "switch" && other === "nic") {
        lines.push([[x1, y1]]);
      } else {
        if (kind === "switch") add(x1, middleOf(here));
        if (other === "switch") add(x2, middleOf(next));
      }
    });
    add(...above(ranks[to]));
    this.lines.set(key, lines);
    return lines;
  }

  draw(tick) {
    const flying = this.flights.at(tick).filter(({flows = 0}) => flows <= tick);
    this.node.replaceChildren(...flying.flatMap(({from, to, start, end, flows = start, chunk,
      count}) => {
      const [x, y] = pointAlong(this.linesOf(from, to), (tick - flows) / (end - flows));
      const words = count > 1 ? `\u00d7${count}` : chunk ?? "";
      return [svg("circle", {cx: x, cy: y, r: words === "" ? 5 : 8}), svg("text", {x, y: y + 4,
        "text-anchor": "middle"}, String(words))];
    }));
  }
}
