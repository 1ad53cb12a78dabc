// SPDX-License-Identifier: LGPL-2.1-or-later
// The chunk matrix: a row for each rank, a column for each part of the vector.

const MOST_CELLS = 64;  // a side: beyond, a cell is a dot of an image
const TALLEST = 560;    // pixels

class MatrixView {
  constructor(one) {
    this.one = one;
    this.node = element("div", {class: "matrix"});
    const {ranks, count} = one.chunks;
    this.canvas = element("canvas", {tabindex: 0, role: "img",
      "aria-label": `Which of ${ranks} ranks holds what of ${count} chunks`});
    this.node.append(this.canvas);
    tipsOver(this.canvas, (x, y) => this.tipAt(x, y));
    this.canvas.addEventListener("keydown", event => this.move(event));
    this.canvas.addEventListener("blur", () => {
      this.chosen = undefined;
      tip.hide();
      this.draw(this.tick, this.since);
    });
  }

  resize(width) {
    const {ranks, count} = this.one.chunks;
    this.left = ranks > MOST_CELLS ? 30 : 26;
    this.top = 17;
    const room = width - this.left - 1;
    this.side = Math.min(44, room / count, TALLEST / ranks);
    this.high = Math.min(this.side, ranks > 16 ? this.side : 31);
    this.width = this.left + this.side * count + 1;
    this.height = this.top + this.high * ranks + 1;
    this.context = sharpen(this.canvas, this.width, this.height);
    this.image = undefined;
    this.fills = new Map();
  }

  shade(holding) {
    const share = holding.contributions / this.one.chunks.goal.contributions;
    return share <= 0 ? undefined
      : mixed(colours.of("few"), colours.of("all"), Math.min(1, share));
  }

  /** A shade as text, mixed once for all cells of as many contributions. */
  fill(holding) {
    const {contributions} = holding;
    if (!this.fills.has(contributions)) {
      const shade = this.shade(holding);
      this.fills.set(contributions, shade && rgb(shade));
    }
    return this.fills.get(contributions);
  }

  draw(tick, since) {
    this.tick = tick;
    this.since = since;
    const {chunks} = this.one, pen = this.context;
    chunks.goTo(tick);
    pen.clearRect(0, 0, this.width, this.height);
    this.labels(pen);
    if (chunks.count > MOST_CELLS) this.drawImage(pen);
    else this.drawCells(pen, chunks.changedSince(since));
    if (this.chosen) {
      pen.strokeStyle = colours.of("accent");
      pen.lineWidth = 3;
      pen.strokeRect(...this.box(...this.chosen));
    }
  }

  labels(pen) {
    const {ranks, count} = this.one.chunks;
    pen.font = `11px ${colours.of("font")}`;
    pen.fillStyle = colours.of("soft");
    pen.textBaseline = "middle";
    const every = (size, least) => 2 ** Math.max(0, Math.ceil(Math.log2(least / size)));
    pen.textAlign = "right";
    for (let rank = 0; rank < ranks; rank += every(this.high, 12)) {
      pen.fillText(rank, this.left - 6, this.top + (rank + 0.5) * this.high);
    }
    pen.textAlign = "center";
    for (let chunk = 0; chunk < count; chunk += every(this.side, count > 99 ? 30 : 20)) {
      pen.fillText(chunk, this.left + (chunk + 0.5) * this.side, this.top - 8);
    }
  }

  box(rank, chunk) {
    const gap = this.side > 12 ? 1.5 : this.side > 5 ? 0.5 : 0;
    return [this.left + chunk * this.side + gap, this.top + rank * this.high + gap,
      this.side - 2 * gap, this.high - 2 * gap];
  }

  drawCells(pen, changed) {
    const {chunks} = this.one;
    for (let rank = 0; rank < chunks.ranks; ++rank) {
      for (let chunk = 0; chunk < chunks.count; ++chunk) {
        this.drawCell(pen, rank, chunk, changed.has(rank * chunks.count + chunk));
      }
    }
  }

  drawCell(pen, rank, chunk, isNew) {
    const {chunks} = this.one, holding = chunks.holding(rank, chunk);
    const [x, y, width, height] = this.box(rank, chunk), fill = this.fill(holding);
    pen.fillStyle = fill || colours.of("empty");
    if (width > 14) {
      pen.beginPath();
      pen.roundRect(x, y, width, height, Math.min(4, width / 6));
      pen.fill();
    } else {
      pen.fillRect(x, y, width, height);
    }
    if (isNew && width > 4) this.frame(pen, x, y, width, height);
    if (holding.waiting > 0 && width > 10) this.corner(pen, x, y, width, height);
    if (width < 15 || !fill) return;
    const done = chunks.reached(rank * chunks.count + chunk);
    const share = holding.contributions / chunks.goal.contributions;
    const ink = share > colours.of("turn") ? "on-all" : "on-few";
    pen.fillStyle = colours.of(ink);
    const strip = width >= 26 && height >= 22 && chunks.ranks <= 16;
    pen.font = `${done ? "600 " : ""}${width < 22 ? 10 : 12}px ${colours.of("font")}`;
    const number = Number.isInteger(holding.contributions) ? holding.contributions
      : holding.contributions.toFixed(width < 32 ? 0 : 1);
    pen.fillText(number, x + width / 2, y + height / 2 + (strip ? -2.5 : 0.5));
    if (strip) this.strip(pen, holding, ink, x, y, width, height);
  }

  frame(pen, x, y, width, height) {
    pen.strokeStyle = colours.of("new");
    pen.lineWidth = width > 16 ? 2.5 : 1.5;
    if (width > 14) pen.stroke();
    else pen.strokeRect(x, y, width, height);
  }

  /** A tooth for each rank, filled where its contribution is in. */
  strip(pen, holding, ink, x, y, width, height) {
    const {ranks} = this.one.chunks, wide = (width - 8) / ranks;
    const isIn = new Set(holding.ranks);
    for (let rank = 0; rank < ranks; ++rank) {
      pen.globalAlpha = isIn.has(rank) ? 1 : 0.25;
      const high = isIn.has(rank) ? 4 : 1;
      pen.fillRect(x + 4 + rank * wide + 0.3, y + height - 3 - high, Math.max(1, wide - 0.8), high);
    }
    pen.globalAlpha = 1;
    pen.fillStyle = colours.of(ink);
  }

  corner(pen, x, y, width, height) {
    const size = Math.min(10, width / 2.6, height / 2);
    pen.fillStyle = colours.of("new");
    pen.beginPath();
    pen.moveTo(x + width - size, y);
    pen.lineTo(x + width, y);
    pen.lineTo(x + width, y + size);
    pen.fill();
  }

  /** One dot a cell, enlarged by the canvas: as quick for 256 ranks as for 65. */
  drawImage(pen) {
    const {chunks} = this.one;
    if (!this.image) {
      this.dots = document.createElement("canvas");
      this.dots.width = chunks.count;
      this.dots.height = chunks.ranks;
      this.image = this.dots.getContext("2d").createImageData(chunks.count, chunks.ranks);
      const empty = mixed(colours.of("empty"), colours.of("empty"), 0);
      this.shades = chunks.holdings.map(holding => this.shade(holding) || empty);
    }
    const data = this.image.data;
    for (let cell = 0; cell < chunks.cells.length; ++cell) {
      const shade = this.shades[chunks.cells[cell]];
      data[4 * cell] = shade[0];
      data[4 * cell + 1] = shade[1];
      data[4 * cell + 2] = shade[2];
      data[4 * cell + 3] = 255;
    }
    this.dots.getContext("2d").putImageData(this.image, 0, 0);
    pen.imageSmoothingEnabled = false;
    pen.drawImage(this.dots, this.left, this.top, this.side * chunks.count,
      this.high * chunks.ranks);
  }

  words(rank, chunk) {
    const {chunks} = this.one, holding = chunks.holding(rank, chunk);
    const lines = [`rank ${rank}, chunk ${chunk}`];
    const number = parseFloat(holding.contributions.toFixed(3));
    lines.push(holding.contributions === 0 ? "nothing of use yet"
      : `${number} of ${plural(chunks.goal.contributions, "contribution")}` +
        (Number.isInteger(number) ? "" : ", the mean over its elements"));
    if (holding.runs) lines.push(`of rank${holding.ranks.length === 1 ? "" : "s"} ${holding.runs}`);
    if (holding.waiting) lines.push(`come, not yet added: ${holding.waitingRuns}`);
    if (chunks.reached(rank * chunks.count + chunk)) lines.push("complete");
    else if (!chunks.isWanted(rank * chunks.count + chunk)) lines.push("not asked for in the end");
    return lines;
  }

  tipAt(x, y) {
    const rank = Math.floor((y - this.top) / this.high);
    const chunk = Math.floor((x - this.left) / this.side);
    const {ranks, count} = this.one.chunks;
    if (rank < 0 || rank >= ranks || chunk < 0 || chunk >= count) return undefined;
    return this.words(rank, chunk);
  }

  /** The keys of a grid, once it has the focus. */
  move(event) {
    const by = {ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1]};
    if (!by[event.key]) return;
    event.preventDefault();
    event.stopPropagation();
    const {ranks, count} = this.one.chunks;
    const [rank, chunk] = this.chosen || [0, 0];
    const [down, right] = this.chosen ? by[event.key] : [0, 0];
    this.chosen = [(rank + down + ranks) % ranks, (chunk + right + count) % count];
    this.draw(this.tick, this.since);
    const box = this.canvas.getBoundingClientRect(), [x, y] = this.box(...this.chosen);
    const lines = this.words(...this.chosen);
    tip.show(lines, box.left + x + this.side / 2, box.top + y + this.high / 2);
    this.canvas.setAttribute("aria-label", lines.join(", "));
  }
}
