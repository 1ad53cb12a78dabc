// SPDX-License-Identifier: LGPL-2.1-or-later
// The cases on the page and the clock that they share: what plays them, and by which keys.

let views = [];
const clock = new Clock(() => draw());

function draw() {
  for (const view of views) view.draw(clock.seconds, clock.since);
  const scrub = byId("scrub"), words = timeText(clock.seconds, clock.whole);
  scrub.value = clock.whole > 0 ? Math.round(clock.seconds / clock.whole * 10000) : 0;
  scrub.setAttribute("aria-valuetext", words);
  byId("time").textContent = `${words} of ${timeText(clock.whole)}`;
  const play = byId("play");
  if (play.getAttribute("aria-label") !== (clock.running ? "Pause" : "Play")) {
    play.setAttribute("aria-label", clock.running ? "Pause" : "Play");
    play.textContent = clock.running ? "\u275a\u275a" : "\u25b6";
  }
  // Not while it runs: a screen reader would never come to an end.
  if (!clock.running) {
    const names = views.map(view => views.length > 1 ? `${view.one.name}: ` : "");
    byId("now").textContent = views.map((view, i) => names[i] + view.caption.textContent)
      .join(" \u2014 ");
  }
}

/** Puts these cases on the page, side by side, at a share of the run; with letters, if any. */
function showCases(cases, share, letters = []) {
  const widths = views.length === cases.length ? views.map(view => view.width) : [];
  clock.pause();
  zoom.from = zoom.to = 0;
  views = cases.map((one, i) => new CaseView(one, letters[i], views[i]));
  clock.show(cases, share);
  // To measure takes a layout, and to write on a canvas of the page its styles.
  const known = widths.length && widths.every(width => width > 0);
  if (known) layOutViews(widths);
  byId("cases").replaceChildren(...views.map(view => view.node));
  byId("cases").classList.toggle("two", views.length === 2);
  byId("verdict").replaceChildren(...verdict(...cases));
  byId("unit").replaceChildren(...clock.units.map(unit =>
    element("option", {value: unit, selected: unit === clock.unit}, UNITS[unit])));
  explain(cases);
  if (!known) layOutViews(views.map(view => view.room()));
}

/** Draws all pictures in these widths. */
function layOutViews(widths) {
  views.forEach((view, i) => view.resize(widths[i], clock.whole));
  legend(views);
  draw();
}

function resize() {
  colours.forget();
  layOutViews(views.map(view => view.room()));
}

/** A zoom is of all timelines, and of nothing else. */
function resizeTimelines() {
  for (const view of views) {
    view.timeline.resize(view.timeline.width, clock.whole);
    view.tellPath();
  }
  legend(views);
  draw();
}

/** A sample of what is drawn, and what it means. */
const sample = (shape, words) => element("span", {}, svg("svg", {width: 26, height: 14,
  "aria-hidden": "true"}, shape), words);
const swatch = fill => svg("rect", {x: 0.5, y: 0.5, width: 25, height: 13, rx: 2, class: "sample",
  style: `fill: ${fill}`});

/** What ranks do in the timelines, and what their critical paths are spent on. */
function legend(shown) {
  const ranks = shown.flatMap(({one}) => one.report.ranks);
  const seen = new Set(ranks.flatMap(rank => [
    ...ACTIVITIES.slice(0, 4).filter(name => rank.seconds[name] > 0),
    ...Object.keys(rank.waited_for_s).map(waitKind)]));
  const banded = shown.filter(({timeline}) => timeline.banded);
  const onPath = new Set(banded.flatMap(({one}) => [...pathKinds(one.path)]));
  const used = names => Object.keys(KIND_WORDS).filter(name => names.has(name));
  const samples = used(seen).map(name => sample(swatch(`url(#hatch-${name})`), KIND_WORDS[name]));
  if (banded.length < shown.length) {
    samples.push(sample(svg("line", {x1: 1, y1: 7, x2: 25, y2: 7, class: "critical"}),
      "critical path"));
  }
  if (banded.length) {
    samples.push(element("span", {}, "row \u201cpath\u201d, the critical path:"),
      ...used(onPath).map(name => sample(swatch(`var(--${name}-line)`), PATH_WORDS[name])));
  }
  byId("legend").replaceChildren(...samples);
}

function setTheme(dark) {
  document.documentElement.dataset.theme = dark ? "dark" : "light";
  byId("theme").setAttribute("aria-pressed", dark);
  byId("theme").textContent = dark ? "Light" : "Dark";
  resize();
}

function jump(seconds) {
  clock.pause();
  clock.goTo(seconds);
}

/** Brings the pictures into view if none of them is there. */
function showPictures() {
  const least = 60, free = innerHeight - document.querySelector(".player").clientHeight;
  const isSeen = [...document.querySelectorAll(".case figure")].some(one => {
    const {top, bottom} = one.getBoundingClientRect();
    return Math.min(bottom, free) - Math.max(top, 0) > least;
  });
  if (!isSeen) byId("cases").scrollIntoView({block: "start"});
}

const KEYS = {
  " ": () => {
    clock.toggle();
    if (clock.running) showPictures();
  },
  ArrowLeft: () => clock.back(), ArrowRight: () => clock.forward(),
  Home: () => jump(0), End: () => jump(clock.whole),
  PageUp: () => clock.byPhase(-1), PageDown: () => clock.byPhase(1),
};

const OWN_KEYS = "select, summary, a, textarea, .own-keys, input:not(#scrub)";

function listenToPlayer() {
  const click = (id, action) => byId(id).addEventListener("click", action);
  click("first", KEYS.Home);
  click("back", KEYS.ArrowLeft);
  click("play", KEYS[" "]);
  click("forward", KEYS.ArrowRight);
  click("last", KEYS.End);
  document.querySelector(".skip").addEventListener("click", event => {
    event.preventDefault();  // as an address, "#cases" would name no lesson
    document.querySelector(event.target.hash).focus();
  });
  click("theme", () => setTheme(byId("theme").getAttribute("aria-pressed") !== "true"));
  byId("scrub").addEventListener("input", event => {
    clock.pause();
    clock.goTo(event.target.value / 10000 * clock.whole);
  });
  byId("unit").addEventListener("change", event => {
    clock.useUnit(event.target.value);
    clock.goTo(clock.seconds);
  });
  byId("speed").append(...SPEEDS.map(([seconds, words]) =>
    element("option", {value: seconds, selected: seconds === clock.lasts}, words)));
  byId("speed").addEventListener("change", event => { clock.lasts = Number(event.target.value); });
  document.addEventListener("keydown", event => {
    const own = event.target.closest?.(OWN_KEYS) ||
      (event.key === " " && event.target.closest?.("button"));
    if (own || event.ctrlKey || event.metaKey || event.altKey || !KEYS[event.key]) return;
    event.preventDefault();
    KEYS[event.key]();
  });
  const dark = matchMedia("(prefers-color-scheme: dark)");
  dark.addEventListener("change", event => setTheme(event.matches));
  new ResizeObserver(() => {
    const width = byId("cases").clientWidth;
    if (width !== resizedTo) { resizedTo = width; resize(); }
  }).observe(byId("cases"));
}
let resizedTo = 0;
