// SPDX-License-Identifier: LGPL-2.1-or-later
// Boxes of all texts of a page, for tests: which overlap, are cut, broken within a word, or small?
// And shapes of the drawings: which are cut, and which of the dots that fly hide what?
"use strict";

const drawnTexts = new WeakMap();  // of each canvas, since it was last cleared or made

/** From now on, notes the boxes of texts that canvases draw. */
function recordTexts() {
  const pen = CanvasRenderingContext2D.prototype, {fillText} = pen;
  for (const name of ["clearRect", "setTransform"]) {
    const empty = pen[name];
    pen[name] = function (...words) {
      drawnTexts.delete(this.canvas);
      return empty.apply(this, words);
    };
  }
  pen.fillText = function (words, x, y, most = Infinity) {
    const box = this.measureText(words), ratio = this.getTransform().a;
    const wide = Math.min(1, most / Math.max(1, box.width));
    if (!drawnTexts.has(this.canvas)) drawnTexts.set(this.canvas, []);
    drawnTexts.get(this.canvas).push({words: String(words), ratio,
      left: x - box.actualBoundingBoxLeft * wide, right: x + box.actualBoundingBoxRight * wide,
      top: y - box.actualBoundingBoxAscent, bottom: y + box.actualBoundingBoxDescent,
      size: parseFloat(/[\d.]+px/.exec(this.font)[0]) * Math.min(1, wide * 1.2)});
    return fillText.call(this, words, x, y, ...most < Infinity ? [most] : []);
  };
}

/** Boxes of the letters alone, where `rect` has the room above and below as well. */
const lettersOf = ({left, right, top, bottom}) =>
  ({left, right, top: top + 0.2 * (bottom - top), bottom: bottom - 0.2 * (bottom - top)});
/** Most of a circle, as a box. */
const inRound = ({left, right, top, bottom}) => {
  const by = 0.1 * (right - left);
  return {left: left + by, right: right - by, top: top + by, bottom: bottom - by};
};
const shared = (a, b, from, to) => Math.min(a[to], b[to]) - Math.max(a[from], b[from]);
const overlap = (a, b) => shared(a, b, "left", "right") > 1 && shared(a, b, "top", "bottom") > 1;
const isIn = (box, frame) => box.left > frame.left - 1.5 && box.right < frame.right + 1.5 &&
  box.top > frame.top - 1.5 && box.bottom < frame.bottom + 1.5;

/** Texts of the canvases and drawings, each with the frame that it must not leave. */
function labelsOfPictures() {
  const labels = [];
  for (const {matrix, timeline, cluster} of views) {
    const canvases = [[matrix?.canvas, matrix?.canvas], [timeline.still || timeline.canvas,
      timeline.canvas], [cluster.folded?.node, cluster.folded?.node]];
    for (const [drawn, shown] of canvases) {
      if (!drawn || !shown.checkVisibility()) continue;
      const place = shown.getBoundingClientRect(), scale = place.width / shown.offsetWidth *
        (shown.currentCSSZoom || 1);
      const zoom = place.width / parseFloat(shown.style.width);
      for (const one of drawnTexts.get(drawn) || []) {
        labels.push({...one, frame: place, group: shown, size: one.size * zoom, scale,
          left: place.left + one.left * zoom, right: place.left + one.right * zoom,
          top: place.top + one.top * zoom, bottom: place.top + one.bottom * zoom});
      }
    }
  }
  for (const one of document.querySelectorAll("main svg text")) {
    if (!one.textContent || !one.checkVisibility() || one.closest(".flights")) continue;
    const frame = one.ownerSVGElement, box = one.getBoundingClientRect();
    labels.push({...lettersOf(box), words: one.textContent, group: frame,
      frame: frame.getBoundingClientRect(),
      size: parseFloat(getComputedStyle(one).fontSize) * box.height / (one.getBBox().height || 1)});
  }
  return labels;
}

/** Shapes that leave their drawing, and ranks, hosts and loads under a dot on its way. */
function faultsOfShapes() {
  const faults = [], boxOf = one => one.getBoundingClientRect();
  for (const drawing of document.querySelectorAll("main svg")) {
    if (!drawing.checkVisibility()) continue;
    const frame = boxOf(drawing), isSeen = one => one.checkVisibility();
    for (const one of [...drawing.querySelectorAll("rect, circle")].filter(isSeen)) {
      if (!isIn(boxOf(one), frame)) faults.push(`cut: ${one.tagName} ${one.getAttribute("class")}`);
    }
    const dots = [...drawing.querySelectorAll(".flights circle")].filter(isSeen).map(boxOf);
    const labels = dots.length ? [...drawing.querySelectorAll("text")].filter(isSeen) : [];
    for (const label of labels.filter(one => one.compareDocumentPosition(
      drawing.querySelector(".flights")) === Node.DOCUMENT_POSITION_FOLLOWING)) {
      if (dots.some(dot => overlap(inRound(dot), lettersOf(boxOf(label))))) {
        faults.push(`under a dot: ${label.textContent}`);
      }
    }
  }
  return faults;
}

// Read elsewhere, or not at all: texts of pictures have their own boxes.
const BESIDE = "svg, option, .hidden, .skip, #tip, #now, noscript, textarea, script, style, " +
  "details:not([open]) > :not(summary)";

/**
 * Frames that cut what leaves them; of one that scrolls, `seen` is what shows of its contents.
 * `known` has those of elements asked for before.
 */
function framesOf(one, known) {
  if (!one || one === document.body) return [];
  if (!known.has(one)) known.set(one, [...ownFrame(one), ...framesOf(one.parentElement, known)]);
  return known.get(one);
}

function ownFrame(one) {
  const {overflowX, overflowY} = getComputedStyle(one);
  if (overflowX === "visible" && overflowY === "visible") return [];
  const {left, right, top, bottom} = one.getBoundingClientRect(), most = Infinity;
  const across = overflowX === "auto" && one.scrollWidth > one.clientWidth;
  const down = overflowY === "auto" && one.scrollHeight > one.clientHeight;
  const [cutX, seenX] = across ? [[-most, most], [left, right]] : [[left, right], [-most, most]];
  const [cutY, seenY] = down ? [[-most, most], [top, bottom]] : [[top, bottom], [-most, most]];
  return [{left: cutX[0], right: cutX[1], top: cutY[0], bottom: cutY[1],
    seen: {left: seenX[0], right: seenX[1], top: seenY[0], bottom: seenY[1]}}];
}

const isOnOneLine = boxes => new Set([...boxes].map(box => Math.round(box.top))).size < 2;

/** Lines of a page's texts outside of pictures, and what is wrong with one by itself. */
function linesOfPage(faults) {
  const lines = [], range = document.createRange(), known = new Map();
  const isRead = ({data, parentElement: above}) =>
    data.trim() && above.checkVisibility() && !above.closest(BESIDE);
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT, node =>
    isRead(node) ? NodeFilter.FILTER_ACCEPT : NodeFilter.FILTER_REJECT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const above = node.parentElement, frames = framesOf(above, known), words = node.data.trim();
    const size = parseFloat(getComputedStyle(above).fontSize) * (above.currentCSSZoom || 1);
    range.selectNodeContents(node);
    const boxes = range.getClientRects();
    for (const {left, right, top, bottom} of boxes) {
      const isScrolledAway = frames.some(({seen}) => top < seen.top || bottom > seen.bottom);
      const box = {top, bottom, left: Math.max(left, ...frames.map(({seen}) => seen.left)),
        right: Math.min(right, ...frames.map(({seen}) => seen.right))};
      if (box.right - box.left < 2 || isScrolledAway) continue;
      lines.push({...lettersOf(box), words, group: above.closest(".player") || document.body, size,
        frame: undefined});
      if (!frames.every(frame => isIn(lettersOf(box), frame))) faults.push(`cut: ${words}`);
      if (box.right > innerWidth + 1 || box.left < -1) faults.push(`beside the page: ${words}`);
    }
    if (isOnOneLine(boxes)) continue;
    for (const {0: word, index} of node.data.matchAll(/[^\s\-/\u2010-\u2014\u00a0]{2,24}/g)) {
      range.setStart(node, index);
      range.setEnd(node, index + word.length);
      if (!isOnOneLine(range.getClientRects())) faults.push(`broken word: ${word}`);
    }
  }
  return lines;
}

/** Everything wrong with texts of the page; letters smaller than `least` pixels are, too. */
function boxFaults(least) {
  const faults = faultsOfShapes(), groups = new Map();
  const labels = labelsOfPictures();
  for (const one of labels) {
    if (!isIn(one, one.frame)) faults.push(`cut: ${one.words}`);
  }
  for (const one of [...labels, ...linesOfPage(faults)]) {
    if (one.size < least - 0.01) faults.push(`${one.size.toFixed(1)} px: ${one.words}`);
    if (!groups.has(one.group)) groups.set(one.group, []);
    groups.get(one.group).push(one);
  }
  for (const group of groups.values()) {
    group.sort((a, b) => a.top - b.top);
    group.forEach((one, i) => {
      for (let j = i + 1; j < group.length && group[j].top < one.bottom - 1; ++j) {
        if (overlap(one, group[j])) faults.push(`overlap: ${one.words} | ${group[j].words}`);
      }
    });
  }
  return [...new Set(faults.map(fault => fault.slice(0, 90)))];
}

/** Tells `done` of the faults and the width of the page on a screen, before and after some
 * prediction. Each state is drawn once: not when the screen changes, before its state is set. */
async function statesOf(large, least, done) {
  const {predict: {order, number, faster, reason}} = lessonOf(state), found = [];
  const said = (number ? "number 7" : order ? `order ${order.map((_, i) => i).join(" ")}`
    : faster ? "a 2" : "reason") + (reason ? " because 0" : "");
  resize = drawOnce;
  try {
    for (const open of [false, true]) {
      state.said = open ? said : "";
      showLock(shown);
      clock.stand(open ? clock.whole * middleOf(shown) : clock.whole);
      setProjector(large);
      await new Promise(judged => setTimeout(judged, 0));  // the prediction
      const folded = views.filter(({one, cluster}) => cluster.folded &&
        one.machine.hosts.length <= MOST_HOSTS).map(() => "few hosts, folded");
      found.push([open, [...boxFaults(least), ...folded], document.documentElement.scrollWidth]);
    }
    resize = () => {};
    done(found);
  } catch (error) {
    done([[String(error), [], 0]]);
  }
}

/** How light a colour is (WCAG 2.1). */
function lightOf(colour) {
  const [r, g, b] = colour.match(/[0-9.]+/g).map(Number).map(part => {
    const share = part / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

/** The colour below an element: of the last shape drawn below a text of a picture, else of the
 * nearest box; `hatched` for a hatch. */
function groundOf(one) {
  const {left, right, top, bottom} = one.getBoundingClientRect();
  const x = (left + right) / 2, y = (top + bottom) / 2, drawing = one.ownerSVGElement;
  const shapes = drawing ? [...drawing.querySelectorAll("rect, circle")].filter(shape => {
    const box = shape.getBoundingClientRect();
    return shape.compareDocumentPosition(one) & Node.DOCUMENT_POSITION_FOLLOWING &&
      shape.checkVisibility() && x > box.left && x < box.right && y > box.top && y < box.bottom &&
      !["none", "rgba(0, 0, 0, 0)"].includes(getComputedStyle(shape).fill);
  }) : [];
  const fill = shapes.length ? getComputedStyle(shapes.at(-1)).fill : "";
  if (fill) return fill.startsWith("rgb") ? fill : "hatched";
  for (; one; one = one.parentElement) {
    const found = getComputedStyle(one).backgroundColor;
    if (!/, 0\)$/.test(found) && found !== "transparent") return found;
  }
  return "rgb(255, 255, 255)";
}

/** Texts and placeholders with less than 4.5 to 1 against the ground below them (WCAG 2.1, 1.4.3),
 * or on a hatch. */
function lowContrasts() {
  const low = [];
  for (const one of document.querySelectorAll("main *, header *, footer *")) {
    const own = [...one.childNodes].some(node => node.nodeType === 3 && node.data.trim());
    if (!own && !one.placeholder || !one.checkVisibility() || one.closest("option")) continue;
    if (one.disabled) continue;
    const style = getComputedStyle(one, own ? null : "::placeholder"), ground = groundOf(one);
    const colour = one.ownerSVGElement ? style.fill : style.color;
    const lights = ground === "hatched" ? [1, 1]
      : [colour, ground].map(lightOf).sort((x, y) => y - x);
    const ratio = Number(style.opacity) < 1 ? 1 : (lights[0] + 0.05) / (lights[1] + 0.05);
    if (ratio < 4.5) low.push(one.outerHTML.slice(0, 80));
  }
  return low;
}
