// SPDX-License-Identifier: LGPL-2.1-or-later
// The data of the page: what README.md beside this file describes, decoded.

let DATA = JSON.parse(document.getElementById("data").textContent);
const TICKS = DATA.ticks;

function bytesOf(base64) {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; ++i) bytes[i] = text.charCodeAt(i);
  return bytes;
}

/** Whole numbers of seven bits a byte, the lowest first, the sign in the lowest bit. */
function numbersOf(bytes) {
  const numbers = new Int32Array(bytes.length);
  let count = 0;
  for (let at = 0; at < bytes.length;) {
    let value = 0, shift = 0, byte;
    do {
      byte = bytes[at++];
      value |= (byte & 127) << shift;
      shift += 7;
    } while (byte & 128);
    numbers[count++] = value & 1 ? -((value + 1) >>> 1) : value >>> 1;
  }
  return numbers.subarray(0, count);
}

/** How many of the first items of a list hold; those that do stand before the others. */
function countOf(list, holds) {
  let low = 0, high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(list[middle])) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Ranks as "0-3,7" into a list. */
function ranksOf(runs) {
  return (runs || "").split(",").filter(Boolean).flatMap(run => {
    const [first, last = first] = run.split("-").map(Number);
    return Array.from({length: last - first + 1}, (_, i) => first + i);
  });
}

/** Who holds what, at a tick that can go forth and back. */
class Chunks {
  constructor(json) {
    this.none = json.none;
    if (this.none) return;
    Object.assign(this, {ranks: json.ranks, count: json.chunks, goal: json.goal,
      leastBytes: json.least_bytes, mostBytes: json.most_bytes});
    this.holdings = json.holdings.map(([contributions, ranks, waiting, waitingRanks]) => ({
      contributions, runs: ranks, waiting: waiting || 0, waitingRuns: waitingRanks,
      get ranks() {  // of the thousands of 64 ranks none is read
        return this.read ||= ranksOf(ranks);
      },
    }));
    this.cells = new Uint32Array(this.ranks * this.count);
    for (let i = 0, at = 0; i < json.start.length; i += 2) {
      this.cells.fill(json.start[i], at, at += json.start[i + 1]);
    }
    this.mean = this.holdings.some(one => !Number.isInteger(one.contributions));
    this.readChanges(numbersOf(bytesOf(json.changes)));
    this.complete = 0;
    for (let cell = 0; cell < this.cells.length; ++cell) this.complete += this.reached(cell);
    this.wanted = 0;
    for (let cell = 0; cell < this.cells.length; ++cell) this.wanted += this.isWanted(cell);
    this.next = 0;
  }

  readChanges(numbers) {
    const count = numbers.length / 4, now = this.cells.slice();
    this.at = new Int32Array(count);
    this.cell = new Uint32Array(count);
    this.before = new Uint32Array(count);
    this.after = new Uint32Array(count);
    let tick = 0, rank = 0, chunk = 0, holding = 0;
    for (let i = 0; i < count; ++i) {
      tick += numbers[4 * i];
      rank += numbers[4 * i + 1];
      chunk += numbers[4 * i + 2];
      holding += numbers[4 * i + 3];
      const cell = rank * this.count + chunk;
      this.at[i] = tick;
      this.cell[i] = cell;
      this.before[i] = now[cell];
      this.after[i] = now[cell] = holding;
    }
  }

  isWanted(cell) {
    const rank = Math.floor(cell / this.count), chunk = cell % this.count;
    if (this.goal.where === "own") return rank === chunk;
    return this.goal.where === "all" || rank === this.goal.root;
  }
  reached(cell) {
    return this.isWanted(cell) &&
      this.holdings[this.cells[cell]].contributions >= this.goal.contributions ? 1 : 0;
  }
  set(cell, holding) {
    this.complete -= this.reached(cell);
    this.cells[cell] = holding;
    this.complete += this.reached(cell);
  }
  /** What has happened up to and at `tick` has happened. */
  goTo(tick) {
    while (this.next < this.at.length && this.at[this.next] <= tick) {
      this.set(this.cell[this.next], this.after[this.next]);
      ++this.next;
    }
    while (this.next > 0 && this.at[this.next - 1] > tick) {
      --this.next;
      this.set(this.cell[this.next], this.before[this.next]);
    }
  }
  /** The cells that changed after `from`, up to where goTo() stands. */
  changedSince(from) {
    const cells = new Set();
    for (let i = this.next - 1; i >= 0 && this.at[i] > from; --i) cells.add(this.cell[i]);
    return cells;
  }
  holding(rank, chunk) {
    return this.holdings[this.cells[rank * this.count + chunk]];
  }
}

/** What each rank does, whole or merged into slots. */
class Spans {
  constructor(json) {
    this.places = json.places || [];
    this.lines = json.lines || this.places;
    this.slots = json.slots;
    this.lettersOfLines = json.at;
    this.rows = json.rows.map(row => json.slots ? this.fromSlots(row) : this.fromNumbers(row));
  }
  fromNumbers(row) {
    const spans = [];
    for (let i = 0, at = 0; i < row.length; i += 6) {
      const start = at + row[i];
      at = start + row[i + 1];
      spans.push({start, end: at, activity: row[i + 2], cause: CAUSES[row[i + 3]],
        place: row[i + 4], peer: row[i + 5]});
    }
    return spans;
  }
  fromSlots(row) {
    const spans = [], wide = TICKS / row.length;
    for (let i = 0, first = 0; i < row.length; ++i) {
      if (row[i + 1] === row[i]) continue;
      const kind = row.charCodeAt(i) - 97, cause = CAUSES[kind - ACTIVITIES.length];
      spans.push({start: first * wide, end: (i + 1) * wide, activity: cause ? 5 : kind, cause,
        place: -1, peer: -1});
      first = i + 1;
    }
    return spans;
  }
  /** The span of a rank at a tick; undefined while it is idle. */
  at(rank, tick) {
    const row = this.rows[rank];
    const span = row[countOf(row, ({end}) => end <= tick)];
    return span && span.start <= tick && span.activity !== 6 ? span : undefined;
  }
  /** Index into `lines` of what a rank does at a tick; undefined or -1 while it is idle. */
  lineAt(rank, tick) {
    const span = this.at(rank, tick);
    if (!span || !this.slots) return span?.place;
    const slot = Math.min(this.slots - 1, Math.floor(tick * this.slots / TICKS));
    return this.lettersOfLines[rank].charCodeAt(slot) - 48;
  }
}

/** The name of what a rank does in a span, as pictures tell it apart. */
function kindOf(span) {
  if (!span) return "idle";
  return span.cause ? waitKind(span.cause) : ACTIVITIES[span.activity];
}

/** "blocked in a send (CPU copy), rank 3", of a rank. */
function spanText(one, span, rank) {
  if (!span) return "idle";
  const isOwn = span.peer === rank;
  const why = span.cause !== "partner" ? one.causeWords[span.cause]
    : isOwn ? OWN_THREAD : span.peer < 0 ? MANY_PARTNERS : CAUSE_WORDS.partner;
  const what = ACTIVITY_WORDS[span.activity] + (why ? ` (${why})` : "");
  return span.peer >= 0 && !isOwn ? `${what}, rank ${span.peer}` : what;
}

/** "CPU copy on host2/core0 (rank 7)", of a piece of the critical path. */
const pieceText = ({words, joint, place}) => place ? `${words}${joint} ${place}` : words;

/** One case: everything about a run. */
class Case {
  constructor(json, index) {
    Object.assign(this, {index, report: json.report, about: json.about, machine: json.machine,
      steps: json.steps, path: json.path, follows: json.follows, messages: json.messages});
    this.name = DATA.names[index];
    this.seconds = json.report.time_s;
    this.causeWords = {...CAUSE_WORDS, ...json.blocks && {copy: "copy"}};  // a GPU's are no CPU
    this.pieces = json.report.critical_path.map((piece, i) => {
      const [words, joint, place] = json.path_words[i];
      return {...piece, words, joint, place};
    });
    this.loads = json.loads.resources.map(load => ({...load, bins: bytesOf(load.bins)}));
    this.bins = json.loads.bins;
    this.levels = json.loads.levels;
    this.coresOf = json.report.ranks.map(() => []);
    this.loads.forEach((load, i) => {
      if (load.rank >= 0 && load.kind === "core") this.coresOf[load.rank].push(i);
    });
    this.chunks = new Chunks(json.chunks);
    this.spans = new Spans(json.spans);
    this.stepCounts = {};
    for (const step of this.steps) {
      this.stepCounts[step.phase] = Math.max(this.stepCounts[step.phase] || 0, step.step + 1);
    }
  }
  /** Chunks on their way, found once. */
  get flights() {
    return this.foundFlights ||= new Flights(this);
  }
  tick(seconds) {
    return this.seconds > 0 ? Math.min(TICKS, Math.round(seconds / this.seconds * TICKS)) : TICKS;
  }
  inSeconds(tick) {
    return tick / TICKS * this.seconds;
  }
  /** The share of its capacity that a resource is used at, around a tick; nothing at the end. */
  load(index, tick) {
    if (index < 0 || tick >= TICKS) return 0;
    const bin = Math.min(this.bins - 1, Math.floor(tick / TICKS * this.bins));
    return this.loads[index].bins[bin] / this.levels;
  }
  coreLoad(rank, tick) {
    return Math.max(0, ...this.coresOf[rank].map(index => this.load(index, tick)));
  }
  /** The last step that all ranks have ended by then; undefined before the first. */
  stepEndedBy(tick) {
    let ended;
    for (const step of this.steps) if (step.end <= tick) ended = step;
    return ended;
  }
}
