// SPDX-License-Identifier: LGPL-2.1-or-later
// The state of the page: a lesson, up to two runs that differ from it; and its URL encoding

const LESSONS = JSON.parse(document.getElementById("lessons").textContent);

/** A lesson by its scenario's name, or by the number of it: "03". */
const lessonNamed = id => LESSONS.find(one => one.id === id || one.id.startsWith(`${id}-`)) ||
  LESSONS[0];
const freshRun = ({case: name, set}) => ({case: name || "", set: {...set}, refused: {}});

/** Of a lesson, as it begins: its one or two runs. */
function freshState(id) {
  const lesson = lessonNamed(id), [first, second] = lesson.runs;
  return {lesson: lesson.id, two: Boolean(second), said: "",
    runs: [first, second || first].map(freshRun)};
}

/** Names of a scenario's cases, in blocks or in braces, plain or quoted. */
function caseNamesOf(text) {
  const block = /^cases:.*\n((?:[ #-].*\n|\n)*)/m.exec(text)?.[1] || "";
  const indent = /^ *(?=- )/m.exec(block)?.[0] || "";
  const item = new RegExp(`^${indent}- (?:\\{name: *("[^"]*"|'[^']*'|[^,}\n]*)|name: *(.*))`, "gm");
  return [...block.matchAll(item)].map(([, inBraces, alone]) =>
    (inBraces ?? alone.replace(/ #.*/, "")).trim().replace(/^(["'])(.*)\1$/, "$2"));
}
const lessonOf = state => LESSONS.find(one => one.id === state.lesson);
const runsOf = state => state.runs.slice(0, state.two ? 2 : 1);

/**
 * "lesson=03&two=1&a=4-2-2&a.job.bytes=1+MiB&b=...", and the text of a scenario of one's own; the
 * page's `own` address also has the prediction and rejected keys.
 */
function addressOf(state, own) {
  const words = new URLSearchParams({lesson: state.lesson, two: state.two ? 1 : 0});
  if (state.text) words.set("text", state.text);
  runsOf(state).forEach((run, i) => {
    const name = "ab"[i];
    words.set(name, run.case);
    for (const [key, text] of Object.entries(run.set)) words.set(`${name}.${key}`, text);
    if (!own) return;
    const refused = Object.entries(run.refused).sort(([key]) => key in run.set ? -1 : 1);
    for (const [key, {text}] of refused) words.append(`${name}.${key}`, text);
  });
  if (own && state.said) words.set("said", state.said);
  if (own && state.about) words.set("about", state.about);
  return `#${words}`;
}

/** What an address says; what it leaves out is the lesson's. */
function stateOf(address) {
  const words = new URLSearchParams(address.replace(/^#/, ""));
  const state = freshState(words.get("lesson"));
  if (words.has("text")) state.text = words.get("text");
  if (words.has("two")) state.two = words.get("two") === "1";
  if (words.has("said")) state.said = words.get("said");
  state.about = words.get("about") || "";
  state.runs.forEach((run, i) => {
    const name = "ab"[i];
    if (!words.has(name)) return;
    run.case = words.get(name);
    run.set = {};
    for (const [key, text] of words) {
      if (!key.startsWith(`${name}.`)) continue;
      if (key.slice(2) in run.set) run.good ||= copyOf(run);  // beside a rejected value a good one
      run.set[key.slice(2)] = text;
    }
  });
  return state;
}

/** Names that tell the runs apart: those of the lesson and its steps, or their cases'. */
function labelsOf(state) {
  const runs = runsOf(state), lesson = lessonOf(state);
  const known = state.text ? [] : [lesson, ...lesson.steps].map(part => part.runs || []);
  const isOf = (run, one) => run.case === (one.case || "") &&
    JSON.stringify(run.set) === JSON.stringify(one.set || {});
  const all = known.find(those => those.length === runs.length &&
    those.every((one, i) => isOf(runs[i], one)));
  const labels = runs.map((run, i) =>
    (all ? all[i] : known.flat().find(one => one.name && isOf(run, one)))?.name ||
    Object.keys(run.set).length === 0 && run.case || "AB"[i]);
  return labels[0] === labels[1] ? ["A", "B"] : labels;
}

/** A run as the program is asked for it: of a lesson's scenario, or of a text. */
const requestOf = (state, {case: name, set = {}}) => ({scenario: state.lesson,
  ...state.text ? {text: state.text} : {}, ...name ? {case: name} : {}, set: Object.entries(set)});

/** The runs of a state as the program is asked for them. */
function requestsOf(state) {
  const labels = labelsOf(state);
  return runsOf(state).map((run, i) => ({...requestOf(state, run), label: labels[i]}));
}

/** Short text that differs where the runs do. */
const keyOf = state => hashOf(JSON.stringify(
  [state.text, runsOf(state).map(run => [run.case, run.set])])).toString(36);
/** True while the runs are those of the prediction: the lesson's, if it names no others. */
const isPredicted = state => (state.about || keyOf(freshState(state.lesson))) === keyOf(state);

/** Sets one key of a run. Keys below it go, since it replaces what they were laid over. */
function setKey(run, key, text) {
  for (const keys of [run.set, run.refused]) {
    for (const known of Object.keys(keys)) {
      if (known === key || known.startsWith(`${key}.`)) delete keys[known];
    }
  }
  if (text !== undefined) run.set[key] = text;
}

/** Another key that a value needs: a NIC that makes progress moves the data, too. */
const NEEDS = {"library.progress": {nic: ["library.network.driver", "nic"]}};

/** Options of the run, if it has some that another algorithm does not read: those that it reads. */
function optionsFor(name, {resolved}, {algorithms}) {
  const {collective, options = {}} = resolved.job, all = Object.entries(options);
  const next = algorithms.find(one => one.collective === collective && one.name === name);
  const read = all.filter(([option]) => next?.options.includes(option));
  return next && read.length < all.length ? JSON.stringify(Object.fromEntries(read)) : undefined;
}

/**
 * Changes what a control stands for in a run, shown as `one`; undefined takes a key back, null its
 * rejected value. `lists`: what there is to choose from.
 */
function changeRun(run, key, text, one, lists) {
  if (text === null) {
    delete run.refused[key];
    return;
  }
  if (key === "case") {
    Object.assign(run, {case: text, set: {}, refused: {}});
    return;
  }
  for (const [value, [other, needed]] of Object.entries(NEEDS[key] || {})) {
    if (value === text) setKey(run, other, needed);
    else if (run.set[other] === needed) setKey(run, other);
  }
  if (key === "job.algorithm") {
    const options = text === undefined || !one ? undefined : optionsFor(text, one, lists);
    if (options || text === undefined) setKey(run, "job.options", options);
  }
  setKey(run, key === "nics" ? "cluster.host" : key, text);
  if (key === "nics" && one && one.places.every(place => place.gpu < 0)) {
    const counts = one.hosts.map((_, host) =>
      one.places.filter(place => place.host === host).length);
    setKey(run, "placement", `{hosts: ${countsText(counts)}, nics: all}`);
  }
}

const copyOf = ({case: name, set}) => ({case: name, set: {...set}});
/** True if the run is as it was when it was last answered. */
const isGood = run => JSON.stringify(run.good) === JSON.stringify(copyOf(run));

/**
 * The run without the keys with which the program rejects it: these are in `refused`, each with the
 * program's words. Keys that were good before are kept. `fails(run)` gives words, or ""; `said` are
 * the words about all of the run, if known.
 */
async function sortedOut(run, plain, fails, said) {
  const {good} = run, wanted = Object.entries(run.set), refused = {};
  const known = good && good.case === run.case &&
    Object.keys(good.set).every(key => key in run.set);
  const kept = known ? copyOf(good) : {case: run.case, set: {}};
  let words = known ? "" : await fails(kept);
  if (words && kept.case !== plain.case) {
    refused.case = {text: kept.case, words};
    kept.case = plain.case;
    words = await fails(kept);
  }
  if (words) throw new Error(words);
  let rest = wanted.filter(([key, text]) => kept.set[key] !== text), before = Infinity;
  while (rest.length && rest.length < before) {
    before = rest.length;
    const failed = [];
    for (const [key, text] of rest) {
      const more = {case: kept.case, set: {...kept.set, [key]: text}};
      words = known && before === 1 && said || await fails(more);
      if (words) {
        refused[key] = {text, words};
        failed.push([key, text]);
      } else {
        kept.set[key] = text;
        delete refused[key];
      }
    }
    rest = failed;
  }
  const replaced = Object.entries(good?.case === run.case && good.set || {}).filter(([key]) =>
    !(key in kept.set) && Object.keys(refused).some(parent => key.startsWith(`${parent}.`)));
  const whole = {case: kept.case, set: {...kept.set, ...Object.fromEntries(replaced)}};
  if (replaced.length && !await fails(whole)) kept.set = whole.set;
  return {...kept, refused: {...run.refused, ...refused}};
}

/** What stands at a dotted path; undefined where nothing does. */
function at(tree, path) {
  return path.split(".").reduce((part, key) => part?.[key], tree);
}

/** Dotted keys of a scenario, each with its value: "job.bytes = 64 MiB". */
function keysOf(tree, above = "") {
  return Object.entries(tree).flatMap(([key, value]) => value === null || Array.isArray(value) ? []
    : typeof value === "object" ? keysOf(value, `${above}${key}.`) : `${above}${key} = ${value}`);
}
