// SPDX-License-Identifier: LGPL-2.1-or-later
// Puts the playground together: settings in, a run, pictures out.

const engine = new Engine();
let state, lists, settings = [], shown = [], exercise, formula, sweep;
let running = false, again = false, gainsFor = 0;
const results = new Results();
const answered = {count: 0, ms: 0};  // how often a change was answered, and how long the last took

/** Words at the settings: what the program rejects. */
function complain(words) {
  byId("complaint").hidden = !words;
  byId("complaint").textContent = words;
}

const rejectedText = () => runsOf(state).flatMap((run, i) => Object.entries(run.refused).map(
  ([key, {text, words}]) => `Run ${"AB"[i]} omits ${key} = ${text}:\n${words}`)).join("\n\n");

/** One key of a run; some stand for more than themselves. */
function change(index, key, text, held) {
  changeRun(state.runs[index], key, text, shown[index], lists);
  refresh(held);
}

/** The address of the state, as a new entry of the browser's history or in place of the last. */
function remember(how) {
  const address = addressOf(state, true);
  if (address !== location.hash || !history.state) history[how](true, "", address);
}

/** Keys that the program rejects leave their runs. Throws where that does not help. */
async function sortOut(error) {
  const opening = lessonOf(state).runs;
  const changed = runsOf(state).filter(run => !isGood(run));
  const before = keyOf(state);
  const fails = async run => {
    try {
      await engine.ask({ask: "quick", runs: [requestOf(state, run)]});
      return "";
    } catch (reason) {
      if (reason instanceof Stopped) throw reason;
      return reason.message;
    }
  };
  for (const run of changed) {
    const plain = {case: (opening[state.runs.indexOf(run)] || opening[0]).case || ""};
    const sorted = await sortedOut(run, plain, fails, changed.length === 1 ? error.message : "");
    if (again) return;
    Object.assign(run, sorted);
  }
  if (keyOf(state) === before) throw error;
  again = true;
}

/** Asks for the runs and shows them. */
async function answer(from) {
  const runs = runsOf(state), asked = runs.map(copyOf);
  if (shown.some(one => one.report.ranks.length > FEW_RANKS)) {
    showNumbers(await engine.ask({ask: "quick", runs: requestsOf(state)}));
    answered.numbersMs = performance.now() - from;
    if (again) return;
  }
  const all = await engine.ask({ask: "play", runs: requestsOf(state)});
  if (runs[0] !== state.runs[0]) return;
  runs.forEach((run, i) => {
    run.good = asked[i];
  });
  show(all);
  complain(rejectedText());
}

/** A change in the address and at the settings, before it is answered. */
function showChange(held) {
  remember(held ? "replaceState" : "pushState");
  settings.forEach((one, i) => state.runs[i] && one.showKeys(state.runs[i]));
  byId("two").checked = state.two;
  byId("results").classList.add("stale");
}

/** Simulates what is set. Changes that come meanwhile are answered together, once. */
async function refresh(held) {
  if (running) {
    again = true;
    showChange(held);
    return;
  }
  running = true;
  let from = performance.now(), asked = answer(from);
  showChange(held);  // while the program answers
  for (;;) {
    try {
      await asked.catch(error => {
        if (error instanceof Stopped) throw error;
        return sortOut(error);
      });
    } catch (error) {
      if (!(error instanceof Stopped)) complain(error.message);
    }
    if (!again) break;
    again = false;
    from = performance.now();
    asked = answer(from);
  }
  answered.ms = performance.now() - from;
  ++answered.count;
  byId("took").textContent = `The last answer took ${Math.round(answered.ms)} ms.`;
  running = false;
  remember("replaceState");  // with what was rejected
  if (!byId("results").classList.contains("stale")) showGains(++gainsFor);
}

const FEW_RANKS = 64;  // drawn as quickly as they are counted

/** Times of runs, rates and warnings. */
function ratesText(reports, names) {
  return reports.map(({time_s: time, deadlock, busbw, warnings = []}, i) =>
    [`${names[i]}: ${deadlock ? "deadlock at " : ""}${timeText(time)}`,
      busbw > 0 ? `bus bandwidth ${rateText(busbw)}` : "", ...warnings].filter(Boolean).join(", "))
    .join(" \u2014 ");
}

/** What took how long and why, before there are pictures of it. */
function showNumbers({names, cases, reasons}) {
  byId("verdict").textContent = `${reasons[0][reasons.length - 1]}.`;
  byId("rates").textContent = ratesText(cases, names);
  byId("results").classList.add("drawing");
}

const textNow = () => state.text || files[`scenarios/lessons/${state.lesson}.yaml`];
function show(answer) {
  SOURCES["scenario.yaml"] = textNow();
  byId("results").classList.remove("drawing", "stale");
  byId("gains").replaceChildren(element("p", {class: "facts"}, "computing ..."));
  const before = clock.whole > 0 ? clock.seconds / clock.whole : undefined;
  DATA = answer;
  const cases = answer.cases.map((json, i) => Object.assign(new Case(json, i),
    {tree: json.tree, resolved: json.resolved, hosts: json.hosts, places: json.places}));
  shown = cases;
  showSettings(cases);
  showLock(cases);
  formula?.follow(cases[lessonOf(state).formula.run || 0]?.resolved || {});
  // At the end no rank does anything, and no link is loaded.
  const share = document.body.classList.contains("locked") ? 1 : before ?? middleOf(cases);
  showCases(cases, share, cases.length > 1 ? ["A", "B"] : []);
  byId("rates").textContent = ratesText(cases.map(one => one.report), cases.map(one => one.name));
}

/** The share of the clock at which all of the runs are under way. */
function middleOf(cases) {
  const times = cases.map(one => one.seconds), whole = Math.max(...times);
  return whole > 0 ? Math.min(...times) / 2 / whole : 0.5;
}

function showSettings(cases) {
  while (settings.length < cases.length) {
    settings.push(new RunSettings(settings.length, lists, change));
  }
  settings.length = cases.length;
  const nodes = settings.map(one => one.node);
  if (nodes.some((node, i) => byId("runs").children[i] !== node) ||
      byId("runs").children.length !== nodes.length) {
    byId("runs").replaceChildren(...nodes);
  }
  byId("runs").classList.toggle("two", cases.length === 2);
  const names = caseNamesOf(textNow());
  settings.forEach((one, i) => one.show(cases[i], state.runs[i], names, lessonOf(state)));
  byId("two").checked = state.two;
}

/** Before a prediction only the clusters are seen. */
function showLock(cases) {
  const question = questionOf(state);
  const locked = Boolean(question) && !state.said;
  document.body.classList.toggle("locked", locked);
  byId("predict").hidden = !locked;
  showPrediction(cases);
  if (!locked) return;
  byId("predict").replaceChildren(predictionForm(question, cases.map(one => one.name), said => {
    const key = keyOf(state);
    state.said = said;
    state.about = key === keyOf(freshState(state.lesson)) ? "" : key;
    if (!state.about) results.add(state.lesson, {said});
    remember("replaceState");
    showLock(shown);
    clock.goTo(clock.whole * middleOf(shown));
    resize();
    document.querySelector(".answer").scrollIntoView({block: "start"});
    byId("prediction").focus({preventScroll: true});
    showGains(++gainsFor);
  }));
}

/** Judged beside the runs that it is about; beside others only what was said. */
async function showPrediction(cases) {
  const place = byId("prediction"), {said, lesson} = state;
  place.textContent = "";
  if (!said || !questionOf(state)) return;
  place.textContent = "computing ...";
  const words = isPredicted(state)
    ? await predictionText(state, cases, timesOf).catch(error => error.message)
    : pastPredictionText(state);
  if (state.said === said && state.lesson === lesson && shown === cases) {
    place.replaceChildren(...unbroken(words));
  }
}

/** The runs of a step of the lesson. */
function showStep(runs) {
  state.runs = [runs[0], runs[1] || runs[0]].map(freshRun);
  state.two = runs.length > 1;
  refresh();
  byId("cases").scrollIntoView({block: "nearest", behavior: "smooth"});
}

/** The words above a scenario of one's own: its first comment. */
function commentOf(text) {
  const lines = text.split("\n");
  return lines.slice(0, lines.findIndex(line => !line.startsWith("#")))
    .map(line => line.replace(/^#\s?/, "")).join(" ");
}

/** The lesson's words, its exercise, and the settings as it begins. */
function openLesson() {
  const lesson = lessonOf(state), {text} = state;
  byId("lesson").value = lesson.id;
  const question = text && /^question:\s*(.*)$/m.exec(text)?.[1].replace(/^["']|["']$/g, "");
  byId("question").replaceChildren(
    ...unbroken((text ? question : `${lesson.number} ${lesson.title}`) || ""));
  byId("words").replaceChildren(...text ? paragraphs(commentOf(text)) : setupOf(lesson));
  byId("because").replaceChildren(...text ? [] : becauseOf(lesson, showStep));
  formula = !text && lesson.formula ? new Formula(lesson.formula, () =>
    shown[lesson.formula.run || 0]?.report[lesson.formula.measure], (key, value) =>
    change(lesson.formula.run || 0, key, value),
  lesson.runs.length > 1 ? `run ${"AB"[lesson.formula.run || 0]}` : "") : undefined;
  if (formula) byId("because").append(formula.node);
  sweep = !text && lesson.sweep ? new Sweep(lesson.sweep) : undefined;
  if (sweep) byId("because").append(sweep.node);
  byId("further").replaceChildren(...text ? [] : furtherOf(lesson));
  byId("modules").replaceChildren(...mapOf(id => results.has(id), go));
  byId("map").open = false;
  shown = [];
  complain("");
  byId("predict").hidden = true;
  document.body.classList.add("locked");  // until there is an answer, nothing of another lesson
  byId("exercise").hidden = Boolean(text);
  exercise = new Exercise(lesson.exercise, runs => engine.ask({ask: "play",
    runs: runs.map(run => requestOf({lesson: lesson.id}, run))}), () => shown,
  () => results.add(lesson.id, {solved: true}));
  byId("exercise").replaceChildren(exercise.node);
  own.offer(textNow());
  const index = LESSONS.indexOf(lesson);
  byId("previous").disabled = index === 0;
  byId("next").disabled = index === LESSONS.length - 1;
  return refresh();
}

function go(id) {
  state = freshState(id);
  clock.seconds = clock.whole = 0;
  engine.stop();
  openLesson();
}

/** Everything larger, for the last row of a lecture hall. */
function setProjector(large) {
  document.documentElement.dataset.size = large ? "projector" : "";
  byId("projector").setAttribute("aria-pressed", large);
  memory.set("projector", large);
  resize();
}

const own = new OwnScenario(text => {
  const [first = "", second] = caseNamesOf(text);
  state = {...freshState(state.lesson), text, two: second !== undefined,
    runs: [first, second || first].map(name => freshRun({case: name}))};
  openLesson();
});

function listenToPage() {
  byId("own").append(new OwnNumbers(timesAt).node, own.node, resultsForm(results));
  setProjector(memory.get("projector") === "true");
  byId("projector").addEventListener("click", () =>
    setProjector(byId("projector").getAttribute("aria-pressed") !== "true"));
  byId("lesson").append(...modulesOf(LESSONS).map(([label, lessons]) => element("optgroup",
    {label}, lessons.map(({id, number, title}) =>
      element("option", {value: id}, `${number} ${title}`)))));
  byId("lesson").addEventListener("change", event => go(event.target.value));
  const step = by => go(LESSONS[LESSONS.indexOf(lessonOf(state)) + by].id);
  byId("previous").addEventListener("click", () => step(-1));
  byId("next").addEventListener("click", () => step(1));
  byId("two").addEventListener("change", event => {
    state.two = event.target.checked;
    refresh();
  });
  byId("reset").addEventListener("click", () => go(state.lesson));
  byId("share").addEventListener("click", share);
  byId("export").addEventListener("change", event => {
    exportAs(event.target.value);
    event.target.value = "";
  });
  addEventListener("popstate", event => {
    const {lesson, text, said, about} = state;
    state = stateOf(location.hash);
    const same = event.state && lesson === state.lesson && text === state.text;
    if (same) Object.assign(state, {said, about});  // Back takes changes back, no prediction
    remember("replaceState");
    if (same) refresh();
    else openLesson();
  });
}

let files;
async function begin() {
  document.body.append(hatchDefinitions());
  listenToPlayer();
  listenToPage();
  setTheme(memory.get("dark") === null ? matchMedia("(prefers-color-scheme: dark)").matches
    : memory.get("dark") === "true");
  byId("theme").addEventListener("click", () =>
    memory.set("dark", document.documentElement.dataset.theme === "dark"));
  ({files} = await engine.parts);
  SOURCES = {...files};
  state = stateOf(location.hash);
  lists = await engine.ask({ask: "lists"});
  remember("replaceState");
  byId("eyebrow").textContent = `ringscope ${lists.version}, the playground`;
  await openLesson();
}
begin().catch(error => complain(`The simulator cannot run here: ${error.message}. It needs ` +
  "WebAssembly with tail calls: Chrome 112, Firefox 121, Safari 18.2, or newer."));
