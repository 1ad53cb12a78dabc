// SPDX-License-Identifier: LGPL-2.1-or-later
// The one clock of the page: where it stands, where it can stop, and how it runs.

const UNITS = {change: "change", step: "step", phase: "phase"};
const SPEEDS = [[10, "10 s"], [20, "20 s"], [40, "40 s"], [90, "90 s"]];

/** In seconds, sorted, each once, with the start and the end. */
function stopsOf(cases, unit, whole) {
  const stops = new Set([0, whole]);
  for (const one of cases) {
    for (const tick of ticksOf(one, unit)) stops.add(one.inSeconds(tick));
    stops.add(one.seconds);
  }
  return [...stops].sort((a, b) => a - b);
}

function ticksOf(one, unit) {
  if (unit === "change") {
    if (!one.chunks.none) return new Set(one.chunks.at);
    const ends = new Set(one.spans.rows.flatMap(row => row.map(span => Math.round(span.end))));
    return ends.size <= 20000 ? ends : [];
  }
  if (unit === "step") return one.steps.map(step => step.end);
  const ends = {};
  for (const step of one.steps) ends[step.phase] = Math.max(ends[step.phase] || 0, step.end);
  return Object.values(ends);
}

class Clock {
  constructor(changed) {
    this.changed = changed;
    this.seconds = 0;
    this.whole = 0;
    this.running = false;
    this.lasts = 20;
  }

  /** Stands at a share of the run; without one, where it stood. */
  show(cases, share) {
    this.cases = cases;
    this.whole = Math.max(...cases.map(one => one.seconds));
    this.units = Object.keys(UNITS).filter(unit =>
      cases.some(one => [...ticksOf(one, unit)].length));
    if (!this.units.length) this.units = ["change"];
    if (!this.units.includes(this.unit)) {
      this.unit = this.units.includes("step") ? "step" : this.units[0];
    }
    this.useUnit(this.unit);
    this.stand(share === undefined ? this.seconds : share * this.whole);
  }

  useUnit(unit) {
    this.unit = unit;
    this.stops = stopsOf(this.cases, unit, this.whole);
    // Without a structure of its own a run is cut evenly.
    if (this.stops.length <= 3 && unit !== "phase") {
      this.stops = Array.from({length: 41}, (_, i) => this.whole * i / 40);
    }
  }

  goTo(seconds) {
    this.stand(seconds);
    this.changed();
  }
  stand(seconds) {
    this.seconds = Math.max(0, Math.min(this.whole, seconds));
    // What is new is what has come since the stop before this one.
    this.since = this.stops[this.indexBefore(this.seconds)] ?? -1;
  }

  /** Of the last stop before `seconds`; -1: none. */
  indexBefore(seconds) {
    let low = 0, high = this.stops.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.stops[middle] < seconds - 1e-12 * this.whole) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }

  back() {
    this.pause();
    this.goTo(this.stops[Math.max(0, this.indexBefore(this.seconds))]);
  }
  forward() {
    this.pause();
    const next = this.stops.find(stop => stop > this.seconds + 1e-12 * this.whole);
    this.goTo(next ?? this.whole);
  }
  byPhase(direction) {
    this.pause();
    const phases = stopsOf(this.cases, "phase", this.whole), small = 1e-12 * this.whole;
    const next = direction > 0 ? phases.find(stop => stop > this.seconds + small)
      : phases.filter(stop => stop < this.seconds - small).pop();
    if (next !== undefined) this.goTo(next);
  }

  toggle() {
    if (this.running) return this.pause();
    if (this.seconds >= this.whole) this.goTo(0);
    this.running = true;
    this.changed();
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    if (still) this.timer = setInterval(() => this.hop(), 800);
    else this.glide(performance.now());
  }
  pause() {
    if (!this.running) return;
    this.running = false;
    clearInterval(this.timer);
    cancelAnimationFrame(this.frame);
    this.changed();
  }

  /** From stop to stop, for those who asked for less motion. */
  hop() {
    const next = this.stops.find(stop => stop > this.seconds);
    this.goTo(next ?? this.whole);
    if (this.seconds >= this.whole) this.pause();
  }
  glide(before) {
    this.frame = requestAnimationFrame(now => {
      if (!this.running) return;
      this.goTo(this.seconds + this.whole * (now - before) / 1000 / this.lasts);
      if (this.seconds >= this.whole) this.pause();
      else this.glide(now);
    });
  }
}
