// SPDX-License-Identifier: LGPL-2.1-or-later
// The state of the page: a lesson, up to two runs that differ from it; and the address that says so

const LESSONS = JSON.parse(document.getElementById("lessons").textContent);

/** Of a lesson, as it begins: left and right are a case with what is set beside it. */
function freshState(id) {
  const lesson = LESSONS.find(one => one.id === id) || LESSONS[0];
  return {lesson: lesson.id, two: Boolean(lesson.right), said: "",
    runs: [lesson.left, lesson.right || lesson.left].map(run =>
      ({case: run.case || "", set: {...run.set}}))};
}
const lessonOf = state => LESSONS.find(one => one.id === state.lesson);

/** "lesson=03&two=1&a=4-2-2&a.job.bytes=1+MiB&b=...", and the text of a scenario of one's own. */
function addressOf(state, withPrediction) {
  const words = new URLSearchParams({lesson: state.lesson, two: state.two ? 1 : 0});
  if (state.text) words.set("text", state.text);
  state.runs.slice(0, state.two ? 2 : 1).forEach((run, i) => {
    const name = "ab"[i];
    words.set(name, run.case);
    for (const [key, text] of Object.entries(run.set)) words.set(`${name}.${key}`, text);
  });
  if (withPrediction && state.said) words.set("said", state.said);
  return `#${words}`;
}

/** What an address says; what it leaves out is the lesson's. */
function stateOf(address) {
  const words = new URLSearchParams(address.replace(/^#/, ""));
  const state = freshState(words.get("lesson"));
  if (words.has("text")) state.text = words.get("text");
  if (words.has("two")) state.two = words.get("two") === "1";
  if (words.has("said")) state.said = words.get("said");
  state.runs.forEach((run, i) => {
    const name = "ab"[i];
    if (!words.has(name)) return;
    run.case = words.get(name);
    run.set = {};
    for (const [key, text] of words) {
      if (key.startsWith(`${name}.`)) run.set[key.slice(2)] = text;
    }
  });
  return state;
}

/** Names that tell the runs apart: their cases', unless they differ from them. */
function labelsOf(state) {
  const runs = state.runs.slice(0, state.two ? 2 : 1), lesson = lessonOf(state);
  const labels = runs.map((run, i) => {
    const own = [lesson.left, lesson.right][i] || {};
    const plain = JSON.stringify(run.set) === JSON.stringify(own.set || {}) &&
      run.case === (own.case || "") && !state.text;
    return plain && own.name || Object.keys(run.set).length === 0 && run.case || "AB"[i];
  });
  return labels[0] === labels[1] ? ["A", "B"] : labels;
}

/** The runs as the program is asked for them. */
function requestsOf(state) {
  const labels = labelsOf(state), {scenario} = lessonOf(state);
  return state.runs.slice(0, state.two ? 2 : 1).map((run, i) => ({scenario, label: labels[i],
    ...state.text ? {text: state.text} : {}, ...run.case ? {case: run.case} : {},
    set: Object.entries(run.set)}));
}

/** Sets one key of a run. Keys below it go, since it replaces what they were laid over. */
function setKey(run, key, text) {
  for (const known of Object.keys(run.set)) {
    if (known === key || known.startsWith(`${key}.`)) delete run.set[known];
  }
  if (text !== undefined) run.set[key] = text;
}

/** What stands at a dotted path; undefined where nothing does. */
function at(tree, path) {
  return path.split(".").reduce((part, key) => part?.[key], tree);
}
