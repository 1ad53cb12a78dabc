// Puts the page together.

const byId = id => document.getElementById(id);

const CASES = DATA.cases.map((json, index) => new Case(json, index));

class CaseView {
  constructor(one) {
    this.one = one;
    this.cluster = new ClusterView(one);
    this.matrix = new MatrixView(one);
    this.timeline = new TimelineView(one);
    const {report} = one;
    const facts = [`placed ${report.placement}`, `${report.algorithm} ${report.collective}`,
      `${sizeText(report.bytes)}`, `on ${report.cluster} with ${report.library}`].join(", ");
    const rates = report.busbw > 0
      ? `algbw ${rateText(report.algbw)}, busbw ${rateText(report.busbw)}` : "";
    const messages = `${report.messages.toLocaleString("en")} ` +
      `message${report.messages === 1 ? "" : "s"}, ` +
      `${sizeText(report.bytes_between_hosts)} between hosts`;
    this.caption = element("p", {class: "step"});
    this.waits = report.deadlock ? new WaitsView(one) : undefined;
    this.node = element("section", {class: "case", "aria-label": `Case ${one.name}`},
      element("h2", {}, one.name, element("span", {class: "total"},
        (this.waits ? "deadlock at " : "") + timeText(one.seconds))),
      element("p", {class: "facts"}, facts), element("p", {class: "facts rates"},
        [rates, messages].filter(Boolean).join("; ")),
      this.caption,
      this.waits && this.figure("Who waits for whom", "an arrow goes from the one that waits",
        this.waits.node),
      this.figure("Cluster", this.othersText(), this.cluster.node),
      this.figure("Chunks", this.chunkText(), this.matrix.node),
      this.figure("Timeline", "a row for each rank; the line is the critical path",
        this.timeline.node));
  }

  figure(title, words, content) {
    return element("figure", {},
      element("figcaption", {}, element("b", {}, title), " ", words), content);
  }
  othersText() {
    const others = this.one.machine.other_hosts, {about} = this.one;
    return [about === "a cluster" ? "" : about,
      others ? `${plural(others, "host")} without ranks left out` : ""].filter(Boolean).join("; ");
  }
  chunkText() {
    const {chunks} = this.one;
    if (chunks.none) return "";
    return `rows: ranks, columns: ${plural(chunks.count, "chunk")} of ` +
      `${sizeText(chunks.mostBytes)}; contributions summed in each`;
  }

  resize(whole) {
    const style = getComputedStyle(this.node);
    const width = Math.floor(this.node.clientWidth - parseFloat(style.paddingLeft) -
      parseFloat(style.paddingRight));
    for (const view of [this.cluster, this.matrix, this.waits]) view?.resize(width);
    this.timeline.resize(width, whole);
  }
  draw(seconds, since) {
    const tick = this.one.tick(seconds);
    this.cluster.draw(tick);
    this.matrix.draw(tick, since < 0 ? -1 : this.one.tick(since));
    this.timeline.draw(seconds);
    this.caption.textContent = this.progress(tick, seconds);
  }
  progress(tick, seconds) {
    const {one} = this, {chunks} = one, parts = [];
    const step = one.stepEndedBy(tick);
    if (seconds >= one.seconds) {
      parts.push(`${this.waits ? "stuck" : "done"} at ${timeText(one.seconds)}`);
    } else if (step) parts.push(`all have done ${stepText(step, one.stepCounts[step.phase])}`);
    else parts.push(seconds > 0 ? "under way" : "at the start");
    if (!chunks.none) {
      parts.push(`${chunks.complete.toLocaleString("en")} of ` +
        `${chunks.wanted.toLocaleString("en")} chunks complete`);
    }
    return parts.join("; ");
  }
}

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

function show(indices) {
  clock.pause();
  const cases = indices.map(index => CASES[index]);
  views = cases.map(one => new CaseView(one));
  byId("cases").replaceChildren(...views.map(view => view.node));
  byId("cases").classList.toggle("two", views.length === 2);
  byId("verdict").replaceChildren(...verdict(...cases));
  clock.show(cases);
  byId("unit").replaceChildren(...clock.units.map(unit =>
    element("option", {value: unit, selected: unit === clock.unit}, UNITS[unit])));
  explain(cases);
  resize();
}

function resize() {
  colours.forget();
  for (const view of views) view.resize(clock.whole);
  draw();
}

function choose() {
  const left = Number(byId("left").value), right = Number(byId("right").value);
  show(right < 0 || right === left ? [left] : [left, right]);
}

function offerCases() {
  const options = () => CASES.map(one => element("option", {value: one.index}, one.name));
  byId("left").append(...options());
  byId("right").append(...options(), element("option", {value: -1}, "(none)"));
  byId("right").value = CASES.length > 1 ? 1 : -1;
  byId("choose").hidden = CASES.length < 2;
  byId("left").addEventListener("change", choose);
  byId("right").addEventListener("change", choose);
  byId("swap").addEventListener("click", () => {
    const left = byId("left").value;
    if (byId("right").value === "-1") return;
    byId("left").value = byId("right").value;
    byId("right").value = left;
    choose();
  });
}

function legend() {
  const ranks = CASES.flatMap(one => one.report.ranks);
  const seen = new Set(ranks.flatMap(rank => [
    ...ACTIVITIES.slice(0, 4).filter(name => rank.seconds[name] > 0),
    ...Object.keys(rank.waited_for_s).map(waitKind)]));
  const used = Object.keys(KIND_WORDS).filter(name => seen.has(name));
  byId("legend").append(...used.map(name => element("span", {},
    svg("svg", {width: 26, height: 14, "aria-hidden": "true"},
      svg("rect", {x: 0.5, y: 0.5, width: 25, height: 13, rx: 2, class: "sample",
        style: `fill: url(#hatch-${name})`})),
    KIND_WORDS[name])));
  byId("legend").append(element("span", {}, svg("svg", {width: 26, height: 14,
    "aria-hidden": "true"}, svg("line", {x1: 1, y1: 7, x2: 25, y2: 7, class: "critical"})),
  "critical path"));
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

const KEYS = {
  " ": () => clock.toggle(), ArrowLeft: () => clock.back(), ArrowRight: () => clock.forward(),
  Home: () => jump(0), End: () => jump(clock.whole),
  PageUp: () => clock.byPhase(-1), PageDown: () => clock.byPhase(1),
};

function listen() {
  const click = (id, action) => byId(id).addEventListener("click", action);
  click("first", KEYS.Home);
  click("back", KEYS.ArrowLeft);
  click("play", KEYS[" "]);
  click("forward", KEYS.ArrowRight);
  click("last", KEYS.End);
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
    const own = event.target.closest?.("select, summary, a") ||
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

document.body.append(hatchDefinitions());
byId("eyebrow").textContent = `ringscope ${DATA.version}, a lesson`;
byId("question").textContent = DATA.question;
byId("words").append(...DATA.words.map(words => element("p", {}, words.split("`")
  .map((part, i) => i % 2 ? element("code", {}, part) : part))));
offerCases();
legend();
listen();
show(CASES.length > 1 ? [0, 1] : [0]);
setTheme(matchMedia("(prefers-color-scheme: dark)").matches);
