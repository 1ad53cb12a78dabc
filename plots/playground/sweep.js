// SPDX-License-Identifier: LGPL-2.1-or-later
// Simulated times of more runs than those that are shown, and their curve over one key.

/** Seconds of cases of the lesson. */
async function timesOf(names) {
  const runs = names.map(name => requestOf({lesson: state.lesson}, {case: name}));
  const {cases} = await engine.ask({ask: "quick", runs});
  return cases.map(one => one.time_s);
}

/** Simulated seconds of a run with each of these values of a key. */
async function timesWith(run, key, values) {
  const {cases} = await engine.ask({ask: "quick", runs: values.map(value => ({...run,
    label: value, set: [...run.set.filter(([name]) => name !== key), [key, value]]}))});
  return cases.map(one => one.time_s);
}

/** Simulated seconds of run A at sizes in bytes. */
const timesAt = sizes => timesWith(requestsOf(state)[0], "job.bytes",
  sizes.map(bytes => `${bytes} B`));

const SWEEP = {width: 420, height: 180, left: 64, top: 12, right: 30, bottom: 34};

/** Time of run A over the values of one key, a value at a time: what is simulated meanwhile waits
 * for one run at most. */
class Sweep {
  constructor({key, values}) {
    Object.assign(this, {key, values});
    this.picture = element("div", {class: "curve"}, "computing ...");
    this.node = element("div", {class: "sweep"}, element("h2", {}, "Simulated"), this.picture,
      element("p", {class: "facts"}, "Time of run A over ", breakable(key)));
  }

  /** `isOld()`: the runs have changed. */
  async show(isOld) {
    const times = [];
    for (const value of this.values) {
      times.push(...await timesWith(requestsOf(state)[0], this.key, [value]));
      if (isOld()) return;
    }
    this.picture.replaceChildren(this.drawing(times));
  }

  drawing(times) {
    const {width, height, left, top, right, bottom} = SWEEP, most = Math.max(...times);
    const least = Math.min(...times), low = least - (most - least) / 8;
    const x = i => left + i / (times.length - 1) * (width - left - right);
    const y = time => top + (most - time) / (most - low || 1) * (height - top - bottom);
    const points = times.map((time, i) => `${x(i).toFixed(1)},${y(time).toFixed(1)}`).join(" ");
    const level = time => [svg("line", {class: "lane", x1: left, x2: width - right, y1: y(time),
      y2: y(time)}), svg("text", {class: "axis", x: left - 6, y: y(time) + 4,
      "text-anchor": "end"}, timeText(time, most))];
    return svg("svg", {viewBox: `0 0 ${width} ${height}`, width, height, role: "img",
      "aria-label": this.values.map((value, i) => `${value}: ${timeText(times[i])}`).join(", ")},
    ...[...new Set([most, least])].flatMap(level),
    svg("polyline", {class: "total-line", points}),
    ...times.map((time, i) => svg("circle", {class: "dot", cx: x(i), cy: y(time), r: 4})),
    ...this.values.map((value, i) => text(x(i), height - 16 + (i % 2 ? 13 : 0), value, "axis")));
  }
}
