// SPDX-License-Identifier: LGPL-2.1-or-later
// Puts the playground together: settings in, a run, pictures out.

const engine = new Engine();
let state, lists, settings = [], shown = [], exercise;
let running = false, again = false, gainsFor = 0;
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
  if (how === "replaceState" || address !== location.hash) history[how](true, "", address);
}

/** Keys that the program rejects leave their runs. Throws where that does not help. */
async function sortOut(error) {
  const {scenario, left, right} = lessonOf(state), [asked] = requestsOf(state);
  const changed = runsOf(state).filter(run => !isGood(run));
  const before = keyOf(state);
  const fails = async run => {
    const request = {scenario, ...asked.text ? {text: asked.text} : {},
      ...run.case ? {case: run.case} : {}, set: Object.entries(run.set)};
    try {
      await engine.ask({ask: "quick", runs: [request]});
      return "";
    } catch (reason) {
      if (reason instanceof Stopped) throw reason;
      return reason.message;
    }
  };
  for (const run of changed) {
    const plain = {case: [left, right || left][state.runs.indexOf(run)].case || ""};
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

/** Simulates what is set. Changes that come meanwhile are answered together, once. */
async function refresh(held) {
  remember(held ? "replaceState" : "pushState");
  settings.forEach((one, i) => state.runs[i] && one.showKeys(state.runs[i]));
  byId("two").checked = state.two;
  byId("results").classList.add("stale");
  if (running) {
    again = true;
    return;
  }
  running = true;
  do {
    again = false;
    const from = performance.now();
    try {
      await answer(from).catch(error => {
        if (error instanceof Stopped) throw error;
        return sortOut(error);
      });
    } catch (error) {
      if (!(error instanceof Stopped)) complain(error.message);
    }
    if (again) continue;
    answered.ms = performance.now() - from;
    ++answered.count;
    byId("took").textContent = `The last answer took ${Math.round(answered.ms)} ms.`;
  } while (again);
  running = false;
  remember("replaceState");  // with what was rejected
  if (!byId("results").classList.contains("stale")) showGains(++gainsFor);
}

const FEW_RANKS = 64;  // drawn as quickly as they are counted

/** What took how long and why, before there are pictures of it. */
function showNumbers({names, cases, reasons}) {
  byId("verdict").textContent = `${reasons[0][reasons.length - 1]}.`;
  byId("rates").textContent = cases.map(({time_s: time, busbw}, i) =>
    `${names[i]}: ${timeText(time)}${busbw > 0 ? `, bus bandwidth ${rateText(busbw)}` : ""}`)
    .join(" \u2014 ");
  byId("results").classList.add("drawing");
}

function show(answer) {
  byId("results").classList.remove("drawing", "stale");
  byId("gains").replaceChildren(element("p", {class: "facts"}, "computing ..."));
  const share = clock.whole > 0 ? clock.seconds / clock.whole : 0.5;
  DATA = answer;
  const cases = answer.cases.map((json, i) => Object.assign(new Case(json, i),
    {tree: json.tree, resolved: json.resolved, hosts: json.hosts, places: json.places}));
  shown = cases;
  showSettings(cases);
  showLock(cases);
  legend(cases);
  showCases(cases);
  clock.goTo(share * clock.whole);
  byId("rates").textContent = cases.map(one => {
    const {busbw, warnings = []} = one.report;
    return [`${one.name}: ${timeText(one.seconds)}`,
      busbw > 0 ? `bus bandwidth ${rateText(busbw)}` : "", ...warnings].filter(Boolean).join(", ");
  }).join(" \u2014 ");
}

function showSettings(cases) {
  const text = state.text || files[`scenarios/lessons/${lessonOf(state).scenario}.yaml`];
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
  settings.forEach((one, i) => one.show(cases[i], state.runs[i], caseNamesOf(text)));
  byId("two").checked = state.two;
}

/** Before a prediction there is nothing to see. */
function showLock(cases) {
  const locked = cases.length === 2 && !state.said && !cases.some(one => one.report.deadlock);
  document.body.classList.toggle("locked", locked);
  byId("predict").hidden = !locked;
  showPrediction(cases);
  if (!locked) return;
  byId("predict").replaceChildren(predictionForm(cases.map(one => one.name), said => {
    const key = keyOf(state);
    state.said = said;
    state.about = key === keyOf(freshState(state.lesson)) ? "" : key;
    remember("replaceState");
    showLock(shown);
    resize();
    byId("verdict").scrollIntoView({block: "nearest"});
    showGains(++gainsFor);
  }));
}

/** Judged beside the runs that it is about; beside others only what was said. */
function showPrediction(cases) {
  byId("prediction").textContent = !state.said ? ""
    : cases.length === 2 && isPredicted(state) ? predictionText(state.said, cases)
      : pastPredictionText(state);
}

const MOST_GAINS = 5;

/** After the pictures, a run at a time: a change does not wait for all. */
async function showGains(turn) {
  const parts = [];
  for (const [i, run] of requestsOf(state).entries()) {
    if (shown[i]?.report.deadlock) continue;
    const gains = [];
    for (let nth = 0; nth < MOST_GAINS; ++nth) {
      try {
        gains.push(...(await engine.ask({ask: "gains", run, top: MOST_GAINS, nth})).gains);
      } catch (error) {
        if (turn === gainsFor) byId("gains").replaceChildren(error.message);
        return;
      }
      if (turn !== gainsFor || running) return;
    }
    parts.push(gainsTable(shown[i], gains.sort((a, b) => a.time_s - b.time_s)));
  }
  byId("gains").replaceChildren(element("div", {class: "pair"}, parts));
}

/** What does not change the time in the digits that are shown is no row. */
function gainsTable(one, gains) {
  const time = seconds => timeText(seconds, one.seconds), before = time(one.seconds);
  const useful = gains.filter(gain => time(gain.time_s) !== before);
  const rows = useful.map(gain => element("tr", {}, rowHead(gain.what),
    numberCell(time(gain.time_s)),
    numberCell(signedTime(gain.time_s - one.seconds, one.seconds))));
  const others = gains.filter(gain => !useful.includes(gain)).map(gain => gain.what).join(", ");
  return element("div", {}, rows.length ? table(`${one.name}: ${before}, and with`,
    ["twice of", "time", "difference"], rows)
    : element("p", {}, `${one.name}: no one thing gains; others are as busy.`),
  others && element("p", {class: "facts"}, `Nothing comes of ${others}.`));
}

/** The lesson's words, its exercise, and the settings as it begins. */
function openLesson() {
  const lesson = lessonOf(state);
  byId("lesson").value = lesson.id;
  const text = state.text || files[`scenarios/lessons/${lesson.scenario}.yaml`];
  const lines = text.split("\n");
  const about = lines.slice(0, lines.findIndex(line => !line.startsWith("#")))
    .map(line => line.replace(/^#\s?/, "")).join(" ").replace(/^Lesson \d+\.\s*/, "");
  byId("words").replaceChildren(element("p", {}, about));
  byId("question").textContent = /^question:\s*(.*)$/m.exec(text)?.[1].replace(/^["']|["']$/g, "");
  shown = [];
  complain("");
  byId("predict").hidden = true;
  document.body.classList.add("locked");  // until there is an answer, nothing of another lesson
  byId("exercise").hidden = !lesson.exercise;
  if (lesson.exercise) {
    exercise = new Exercise(lesson.exercise, request => engine.ask(request), () => shown);
    byId("exercise").replaceChildren(exercise.node);
  }
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

function exportAs(kind) {
  if (!shown.length) return undefined;
  const name = lessonOf(state).scenario;
  if (kind === "yaml") download(`${name}.yaml`, scenarioYaml(shown), "text/yaml");
  if (kind === "csv") {
    return engine.ask({ask: "csv", runs: requestsOf(state)})
      .then(({text}) => download(`${name}.csv`, text, "text/csv"));
  }
  if (kind === "svg") {
    for (const view of views) {
      const drawing = view.cluster.node.querySelector("svg");
      if (drawing) download(`${name} ${view.one.name}.svg`, standalone(drawing), "image/svg+xml");
    }
  }
  if (kind === "png") return picture(views).then(blob => download(`${name}.png`, blob));
  return undefined;
}

async function share() {
  const address = location.href.split("#")[0] + addressOf(state, false);
  try {
    await navigator.clipboard.writeText(address);
    byId("said").textContent = "The link is copied; who opens it predicts first.";
  } catch (error) {
    byId("said").textContent = address;
  }
}

function listenToPage() {
  byId("lesson").append(...LESSONS.map(({id, title}) => element("option", {value: id}, title)));
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
  setTheme(matchMedia("(prefers-color-scheme: dark)").matches);
  ({files} = await engine.parts);
  pairCases(files);
  state = stateOf(location.hash);
  lists = await engine.ask({ask: "lists"});
  remember("replaceState");
  byId("eyebrow").textContent = `ringscope ${lists.version}, the playground`;
  await openLesson();
}
begin().catch(error => complain(`The simulator cannot run here: ${error.message}. It needs ` +
  "WebAssembly with tail calls: Chrome 112, Firefox 121, Safari 18.2, or newer."));
