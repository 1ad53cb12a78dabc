// SPDX-License-Identifier: LGPL-2.1-or-later
// What every rank does when, and the critical path through it.

const BAND = 16;  // pixels: where the critical path changes rank too often to be a line
const MOST_ARROWS = 400;
const MOST_UNKNOWN = 0.05;  // of the path, that no row has: beyond, a line would leave out too much

class TimelineView {
  constructor(one, zoomed = () => {}) {
    this.one = one;
    this.zoomed = zoomed;
    this.canvas = element("canvas", {tabindex: 0, role: "img",
      "aria-label": `What each of ${one.spans.rows.length} ranks does over time`});
    this.node = element("div", {class: "timeline"}, this.canvas);
    tipsOver(this.canvas, (x, y) => this.tipAt(x, y));
    this.canvas.addEventListener("keydown", event => this.move(event));
    this.canvas.addEventListener("blur", () => tip.hide());
    this.canvas.addEventListener("wheel", event => this.wheel(event), {passive: false});
    this.canvas.addEventListener("dblclick", () => this.show(0, this.whole));
    new Fingers(this, this.canvas);
  }

  /** Shows this part of the run in all timelines; at least a ten-thousandth of it. */
  show(from, to) {
    const long = Math.max(this.whole / 1e4, Math.min(this.whole, to - from));
    zoom.from = Math.max(0, Math.min(this.whole - long, from));
    zoom.to = zoom.from + long;
    this.zoomed();
  }

  /** With Ctrl, or if already zoomed in: the page scrolls as long as nobody zooms. */
  wheel(event) {
    if (!event.ctrlKey && zoom.to - zoom.from >= this.whole) return;
    event.preventDefault();
    const at = this.secondsAt(event.offsetX), by = 1.2 ** Math.sign(event.deltaY);
    this.show(at - (at - zoom.from) * by, at + (zoom.to - at) * by);
  }

  /** All cases share one scale of `whole` seconds, so that the shorter one is shorter. */
  resize(width, whole) {
    const rows = this.one.spans.rows.length;
    this.whole = whole;
    this.left = rows > 99 ? 30 : 26;
    this.rowHeight = Math.max(1, Math.min(19, 420 / rows));
    this.width = width;
    this.wide = Math.max(1, width - this.left - 8);  // a page that is being folded away has none
    if (!(zoom.to > zoom.from && zoom.to <= whole)) Object.assign(zoom, {from: 0, to: whole});
    this.banded = this.isThicket();
    this.rowsEnd = this.rowHeight * rows + 4;
    this.bottom = this.rowsEnd + (this.banded ? BAND + 4 : 0);
    this.height = this.bottom + 20;
    this.context = sharpen(this.canvas, width, this.height);
    this.still = undefined;  // without the cursor; made when the clock moves
    this.isFresh = true;
    this.paint(this.context);
  }

  x(seconds) {
    const long = zoom.to - zoom.from;
    return this.left + (long > 0 ? (seconds - zoom.from) / long * this.wide : 0);
  }
  xOfTick(tick) {
    return this.x(this.one.inSeconds(tick));
  }
  y(rank) {
    return rank * this.rowHeight + 2;
  }

  /** Everything but the cursor. */
  paint(pen) {
    const rows = this.one.spans.rows, gap = this.rowHeight > 6 ? 1.5 : this.rowHeight > 3 ? 0.5 : 0;
    const end = Math.min(this.xOfTick(TICKS), this.left + this.wide);
    pen.save();
    pen.beginPath();
    pen.rect(this.left, 0, this.wide + 8, this.height);
    pen.clip();
    pen.fillStyle = colours.of("idle-ground");
    pen.fillRect(this.left, 0, end - this.left, this.rowsEnd);
    const areas = new Map(), ends = new Path2D();
    rows.forEach((row, rank) => {
      const y = this.y(rank) + gap / 2, high = this.rowHeight - gap;
      for (const span of row) {
        if (span.activity === 6) continue;
        const from = Math.max(this.left, this.xOfTick(span.start)), to = this.xOfTick(span.end);
        if (to < from || from > this.left + this.wide) continue;
        const kind = kindOf(span);
        if (!areas.has(kind)) areas.set(kind, new Path2D());
        areas.get(kind).rect(from, y, Math.max(to - from, 0.3), high);
        if (to - from > 5) ends.rect(to - 0.4, y, 0.8, high);
      }
    });
    // One fill a kind: with a pattern, tens of thousands of them take four times as long.
    for (const [kind, area] of areas) {
      pen.fillStyle = hatches.of(pen, kind);
      pen.fill(area);
    }
    pen.fillStyle = colours.of("card");
    pen.fill(ends);
    this.arrows(pen);
    if (this.banded) this.band(pen);
    else this.critical(pen);
    pen.restore();
    this.rowLabels(pen);
    this.axis(pen, end);
  }

  /** Messages from the sender's row to the receiver's, where they can be told apart. */
  arrows(pen) {
    const from = this.one.tick(zoom.from), to = this.one.tick(zoom.to);
    const shown = this.one.flights.list.filter(({start, end}) => end >= from && start <= to);
    if (this.rowHeight < 8 || shown.length > MOST_ARROWS || shown.length * 6 > this.wide) return;
    pen.strokeStyle = pen.fillStyle = colours.of("ink");
    pen.lineWidth = 0.8;
    for (const {start, end, from: sender, to: receiver} of shown) {
      const x = this.xOfTick(end), y = this.y(receiver) + this.rowHeight / 2;
      const x0 = this.xOfTick(start), y0 = this.y(sender) + this.rowHeight / 2;
      const turn = Math.atan2(y - y0, x - x0);
      pen.beginPath();
      pen.moveTo(x0, y0);
      pen.lineTo(x, y);
      pen.stroke();
      pen.beginPath();
      pen.moveTo(x, y);
      pen.lineTo(x - 6 * Math.cos(turn - 0.4), y - 6 * Math.sin(turn - 0.4));
      pen.lineTo(x - 6 * Math.cos(turn + 0.4), y - 6 * Math.sin(turn + 0.4));
      pen.fill();
    }
  }

  /** True if the critical path changes rank more often than every four pixels, or has no row. */
  isThicket() {
    const from = this.one.tick(zoom.from), to = this.one.tick(zoom.to), lines = pathLines(this.one);
    const shown = lines.filter(({start, end}) => end >= from && start <= to);
    const unknown = lines.reduce((sum, {start, end, rows}) => sum + (rows ? 0 : end - start), 0);
    return shown.length > this.wide / 4 || unknown > MOST_UNKNOWN * TICKS;
  }

  /** In place of the path's line: the share of each cause in each pixel, below the rows. */
  band(pen) {
    const columns = Array.from({length: Math.ceil(this.wide)}, () => new Map());
    for (const [start, end, cause] of this.one.path) {
      const from = this.xOfTick(start) - this.left, to = this.xOfTick(end) - this.left;
      const last = Math.min(columns.length - 1, Math.floor(to));
      for (let x = Math.max(0, Math.floor(from)); x <= last; ++x) {
        const part = Math.min(to, x + 1) - Math.max(from, x), kind = pathKind(cause);
        columns[x].set(kind, (columns[x].get(kind) || 0) + part);
      }
    }
    columns.forEach((kinds, x) => {
      let y = this.rowsEnd + 3;
      for (const kind of Object.keys(KIND_WORDS)) {
        const high = (kinds.get(kind) || 0) * BAND;
        if (!high) continue;
        pen.fillStyle = colours.of(`${kind}-line`);
        pen.fillRect(this.left + x, y, 1, high);
        y += high;
      }
    });
  }

  rowLabels(pen) {
    const every = 2 ** Math.max(0, Math.ceil(Math.log2(12 / this.rowHeight)));
    pen.fillStyle = colours.of("soft");
    pen.textAlign = "right";
    pen.textBaseline = "middle";
    const ranks = this.one.machine.ranks, parts = this.one.machine.components;
    const host = rank => parts[ranks[rank]].host;
    const isGrouped = ranks.some((_, rank) => rank > 0 && host(rank) === host(rank - 1));
    this.one.spans.rows.forEach((_, rank) => {
      const middle = Math.max(6, this.y(rank) + this.rowHeight / 2);  // the first number in view
      if (rank % every === 0) pen.fillText(rank, this.left - 6, middle);
      const isBorder = isGrouped && rank > 0 && host(rank) !== host(rank - 1);
      if (!isBorder || this.rowHeight < 4) return;
      const wide = this.rowHeight < 12 ? 4 : 22;  // where numbers are higher than rows, beside them
      pen.fillRect(this.left - wide, this.y(rank) - 0.5, wide, 1);
    });
  }

  axis(pen, end) {
    const [size, unit] = unitFor(zoom.to, TIME_UNITS);
    const about = (zoom.to - zoom.from) / size / Math.max(2, this.wide / 90);
    const power = 10 ** Math.floor(Math.log10(about || 1));
    const step = [1, 2, 5, 10].map(n => n * power).find(n => n >= about) || power;
    pen.fillStyle = colours.of("soft");
    pen.textBaseline = "top";
    const first = Math.ceil(zoom.from / size / step) * step;
    for (let value = first; value <= zoom.to / size * 1.0001; value += step) {
      const x = this.x(value * size);
      pen.fillRect(x - 0.5, this.bottom, 1, 4);
      pen.textAlign = value === first ? "left"
        : x > this.left + this.wide - 24 ? "right" : "center";
      const label = parseFloat(value.toPrecision(6));
      pen.fillText(value === first ? `${label} ${unit}` : label, x, this.bottom + 6);
    }
    pen.fillStyle = colours.of("ink");
    if (zoom.to >= this.one.seconds) pen.fillRect(end - 0.75, 0, 1.5, this.bottom + 3);
    if (!this.banded) return;
    pen.textAlign = "right";
    pen.textBaseline = "middle";
    pen.fillText("path", this.left - 2, this.rowsEnd + 3 + BAND / 2);
  }

  /** In each pixel the row that the path is in most of the time; undefined where it is unknown. */
  pathByPixel() {
    const columns = Array.from({length: Math.ceil(this.wide) + 1}, () => new Map());
    for (const {start, end, rows} of pathLines(this.one)) {
      const from = this.xOfTick(start) - this.left, to = this.xOfTick(end) - this.left;
      for (let x = Math.max(0, Math.floor(from)); x <= to && x < columns.length; ++x) {
        const part = Math.min(to, x + 1) - Math.max(from, x);
        const share = to - from > 1 ? Math.max(0, Math.min(1, (x + 0.5 - from) / (to - from))) : 1;
        const row = rows && rows[0] + share * (rows[1] - rows[0]);
        columns[x].set(row, (columns[x].get(row) || 0) + part);
      }
    }
    return columns.map(rows => [...rows].reduce((most, one) =>
      most && most[1] >= one[1] ? most : one, undefined)?.[0]);
  }

  /** Along the rank that it is on, across to the next one with a message, nowhere if unknown. */
  critical(pen) {
    const line = new Path2D();
    let last;
    this.pathByPixel().forEach((row, x) => {
      const at = Math.min(this.left + x, this.xOfTick(TICKS));
      if (row === undefined) {
        if (last !== undefined) line.lineTo(at, this.y(last) + this.rowHeight / 2);
      } else if (last === undefined) line.moveTo(at, this.y(row) + this.rowHeight / 2);
      else line.lineTo(at + 0.5, this.y(row) + this.rowHeight / 2);
      last = row;
    });
    pen.lineJoin = "round";
    pen.strokeStyle = colours.of("card");
    pen.lineWidth = this.rowHeight > 6 ? 5 : 3;
    pen.stroke(line);
    pen.strokeStyle = colours.of("path");
    pen.lineWidth = this.rowHeight > 6 ? 2.6 : 1.5;
    pen.stroke(line);
  }

  draw(seconds) {
    this.seconds = seconds;
    const pen = this.context, x = this.x(Math.max(zoom.from, Math.min(seconds, zoom.to)));
    if (!this.isFresh) this.clear(pen);
    this.isFresh = false;
    pen.fillStyle = colours.of("accent");
    pen.fillRect(x - 1, 0, 2, this.bottom + 2);
    pen.beginPath();  // no lower than the marks of the axis, whose labels stand below
    pen.moveTo(x - 5, this.bottom + 5);
    pen.lineTo(x + 5, this.bottom + 5);
    pen.lineTo(x, this.bottom - 3);
    pen.fill();
  }

  /** Takes the cursor away. */
  clear(pen) {
    if (!this.still) {
      this.still = document.createElement("canvas");
      this.paint(sharpen(this.still, this.width, this.height));
    }
    pen.clearRect(0, 0, this.width, this.height);
    pen.drawImage(this.still, 0, 0, this.width, this.height);
  }

  secondsAt(x) {
    const share = Math.max(0, Math.min(1, (x - this.left) / this.wide));
    return zoom.from + share * (zoom.to - zoom.from);
  }

  tipAt(x, y) {
    const rank = Math.floor((y - 2) / this.rowHeight);
    if (rank < 0 || rank >= this.one.spans.rows.length || x < this.left) return undefined;
    return this.words(rank, this.secondsAt(x));
  }

  words(rank, seconds) {
    const tick = this.one.tick(seconds);
    const span = this.one.spans.at(rank, tick);
    const lines = [`rank ${rank} at ${timeText(seconds, this.whole)}`];
    if (!span) return [...lines, "idle"];
    lines.push(spanText(this.one, span, rank));
    if (span.place >= 0) {
      lines.push(`for ${timeText(this.one.inSeconds(span.end - span.start), this.one.seconds)}`);
      const [phase, step] = this.one.spans.places[span.place];
      if (phase) lines.push(stepText({phase, step}, this.one.stepCounts[phase]));
    }
    const piece = this.one.path.find(([start, end, , owner, , from, to]) =>
      start <= tick && tick < end && [owner, from, to].includes(rank));
    if (piece) lines.push(`critical path: ${this.one.causeWords[piece[2]]}` +
      (piece[4] ? ` on ${piece[4]}` : ""));
    return lines;
  }

  /** Up and down: the ranks, now. Plus, minus, A and D: zoom and pan around the present. */
  move(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const long = zoom.to - zoom.from, middle = this.seconds;
    const part = {"+": [middle - long / 4, middle + long / 4], "-": [middle - long, middle + long],
      a: [zoom.from - long / 4, zoom.to - long / 4],
      d: [zoom.from + long / 4, zoom.to + long / 4]}[event.key];
    if (part) {
      event.preventDefault();
      this.show(...part);
      return;
    }
    const by = {ArrowUp: -1, ArrowDown: 1}[event.key];
    if (!by) return;
    event.preventDefault();
    event.stopPropagation();
    const rows = this.one.spans.rows.length;
    this.chosen = this.chosen === undefined ? 0 : (this.chosen + by + rows) % rows;
    const box = this.canvas.getBoundingClientRect(), lines = this.words(this.chosen, this.seconds);
    tip.show(lines, box.left + this.x(this.seconds), box.top + this.y(this.chosen));
    this.canvas.setAttribute("aria-label", lines.join(", "));
  }
}
