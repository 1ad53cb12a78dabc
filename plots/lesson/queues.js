// SPDX-License-Identifier: LGPL-2.1-or-later
// Queues in front of busy cores and NICs: chunks on their way, at the busiest resource of their
// route. Messages share a resource, so a queue is the bytes of all that have yet to pass it.

const BUSY = 0.9, EQUALLY_BUSY = 0.02;  // shares of a capacity
const SLOT = 8, SLOT_HIGH = 6, LEAST_SLOT = 3;  // pixels of a chunk
const SAMPLES = 64;  // instants at which the longest queue is looked for

/** Resources of a chunk's route in order: {part or rank, load}; of a part, `rate` in bytes a tick.
 * Of a link to a NIC, the NIC. */
function stationsOf(one, {from, to}, tick) {
  const {components, links} = one.machine;
  one.loadsBetween ||= links.reduce((known, {from: a, to: b, loads}) => {
    [[a, b, loads[0]], [b, a, loads[1]]].forEach(([source, target, load]) =>
      (known[`${source} ${target}`] ||= []).push(load));
    return known;
  }, {});
  const way = one.flights.way(from, to), stations = [{rank: from, load: one.coreLoad(from, tick)}];
  for (let i = 1; i < way.length; ++i) {
    const cables = one.loadsBetween[`${way[i - 1]} ${way[i]}`];
    const part = components[way[i]].kind === "nic" && components[way[i - 1]].kind === "switch"
      ? way[i] : way[i - 1];
    const shares = cables.map(cable => one.load(cable, tick)), load = Math.max(...shares);
    const {capacity} = one.loads[cables[shares.indexOf(load)]] || {};
    stations.push({part, load, rate: capacity * one.inSeconds(1)});
  }
  return [...stations, {rank: to, load: one.coreLoad(to, tick)}];
}

/** Queues at a tick, the longest first: {rank or part, bytes, left}; `left` has the share of each
 * chunk that has yet to pass, or of each message where no chunks are known. */
function queuesAt(one, tick) {
  const queues = new Map();
  for (const flight of one.flights.at(tick, Infinity)) {
    const stations = stationsOf(one, flight, tick);
    const most = Math.max(...stations.map(({load}) => load));
    if (most < BUSY) continue;
    const {rank, part, rate} = stations.find(({load}) => load >= most - EQUALLY_BUSY);
    const {start, end, flows = start, count = 1, bytes = count * one.chunks.mostBytes} = flight;
    const key = `${rank} ${part}`, left = flows < tick ? (end - tick) / (end - flows) : 1;
    if (!queues.has(key)) {
      queues.set(key, {rank, part, rate, bytes: 0, all: 0, last: 0, left: [], chunk: flight.count});
    }
    const queue = queues.get(key);
    queue.bytes += left * bytes;
    queue.all += bytes;
    queue.last = Math.max(queue.last, end);
    queue.left.push(...Array(count).fill(left));
  }
  // A busy link passes at its bandwidth what is there when the last chunk arrives.
  for (const queue of queues.values()) {
    const {rate, chunk, bytes, all, last} = queue;
    if (rate && chunk) queue.bytes = Math.max(bytes, Math.min(all, rate * (last - tick)));
  }
  return [...queues.values()].sort((a, b) => b.bytes - a.bytes);
}

/** "3 chunks, 4.21 MiB". */
function queueText({left, bytes, chunk}) {
  const [size, unit] = unitFor(bytes, SIZE_UNITS);
  return `${plural(left.length, chunk ? "chunk" : "message")}, ` +
    `${parseFloat((bytes / size).toPrecision(3))} ${unit}`;
}

/** The most slots and bytes of a queue in a run. */
function mostQueued(one) {
  const queues = Array.from({length: SAMPLES}, (_, i) =>
    queuesAt(one, TICKS * (i + 0.5) / SAMPLES)).flat();
  const most = of => queues.reduce((sum, queue) => Math.max(sum, of(queue)), 0);
  return {slots: most(({left}) => left.length), bytes: most(({bytes}) => bytes)};
}

/** The queues over the drawing of a cluster, if it has a layout, and the longest in words. */
class QueuesView {
  constructor(one, layout) {
    this.one = one;
    this.layout = layout;
    this.node = svg("g", {class: "queues", "aria-hidden": "true"});
    this.words = element("p", {class: "facts waiting"});
    this.queues = [];
  }

  draw(tick) {
    this.queues = queuesAt(this.one, tick);
    if (this.layout) this.node.replaceChildren(...this.queues.flatMap(queue => this.row(queue)));
    const told = this.queues.slice(0, 2).map(queue =>
      `${queueText(queue)} for ${this.name(queue)}`), more = this.queues.length - told.length;
    this.words.textContent = told.length
      ? `Waiting: ${told.join("; ")}${more ? `; ${more} more` : ""}`
      : this.one.flights.isMissing ? "No queues: the run has too many messages to show." : "";
  }

  /** Of the run: the most slots and bytes of a queue. */
  get most() {
    return this.one.mostQueued ||= mostQueued(this.one);
  }

  name({rank, part}) {
    return rank === undefined ? this.one.machine.components[part].name : `rank ${rank}\u2019s core`;
  }

  /** Middle, top and width of a queue's place; undefined if its resource is not drawn. */
  place({rank, part}) {
    const {ranks, parts, hosts, chip} = this.layout;
    if (rank !== undefined) {
      const {x, y} = ranks[rank];
      return [x + chip / 2, chip < 26 ? y + chip + 10 : y + chip - SLOT_HIGH - 1, chip - 2];
    }
    if (!parts[part]) return undefined;
    const {x, y, width, height, layer} = parts[part];
    const host = hosts.find(one => one.host === parts[part].part.host);
    const room = host && layer?.length === 1 ? host.width - 8 : width + 4;
    return [x + width / 2, y + height + 1, room];
  }

  /** A slot for each chunk, filled as far as it has yet to pass; in one piece where the longest
   * queue of the run leaves no room for slots. */
  row(queue) {
    const place = this.place(queue);
    if (!place) return [];
    const [middle, y, room] = place, {left} = queue;
    const slot = Math.min(SLOT, room / Math.max(this.most.slots, left.length));
    const start = middle - slot * left.length / 2;
    const box = (x, width, share) => [
      svg("rect", {class: "slot", x, y, width, height: SLOT_HIGH}),
      svg("rect", {class: "left", x, width, y: y + SLOT_HIGH * (1 - share),
        height: SLOT_HIGH * share})];
    return slot < LEAST_SLOT
      ? box(start, slot * left.length, left.reduce((sum, one) => sum + one) / left.length)
      : left.flatMap((share, i) => box(start + i * slot, slot - 1, share));
  }

  /** Lines of a tooltip about a rank or a part. */
  tip(what) {
    const queue = this.queues.find(one => one.rank === what.rank && one.part === what.part);
    return queue ? [`waiting for it: ${queueText(queue)}`] : [];
  }
}
