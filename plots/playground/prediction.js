// SPDX-License-Identifier: LGPL-2.1-or-later
// First say which is faster and by how much, then see; and the exercise of each lesson.

const SAME = 1.02;  // so close two times count as the same

/** "a 1.5": which run is faster, and how many times as fast; "same". */
function predictionOf(said) {
  const [which, times] = said.split(" ");
  return {which, times: Number(times) || 1};
}

/** What came out, in the same form. */
function outcomeOf([one, other]) {
  const times = other.seconds / one.seconds;
  if (Math.max(times, 1 / times) <= SAME) return {which: "same", times: 1};
  return times > 1 ? {which: "a", times} : {which: "b", times: 1 / times};
}

const timesText = times => `${parseFloat(times.toPrecision(3))} times as fast`;

/** What was said, in words; `names` of both runs. */
function saidText({which, times}, names) {
  return which === "same" ? "both the same" : `${names["ab".indexOf(which)]}, ${timesText(times)}`;
}

/** In how far the guess is right. Factors are compared as ratios. */
function judgement(guess, outcome) {
  if (outcome.which === "same") {
    return guess.which === "same" ? "Right." : "Not right: there is no difference.";
  }
  if (guess.which === "same") return "Not right: there is a difference.";
  if (guess.which !== outcome.which) return "The other way round than you said.";
  const ratio = Math.max(guess.times / outcome.times, outcome.times / guess.times);
  const digits = times => parseFloat(times.toPrecision(3));
  return ratio <= 1.1 ? `Right, and within ${Math.round((ratio - 1) * 100)} %.`
    : `The right run. The factor is ${digits(outcome.times)}; you said ${digits(guess.times)}.`;
}

/** The sentence that compares what was said with what came out. */
function predictionText(said, cases) {
  if (cases.some(one => one.report.deadlock)) return "";
  const guess = predictionOf(said), outcome = outcomeOf(cases);
  const names = cases.map(one => one.name);
  return `You said: ${saidText(guess, names)}. It is: ${saidText(outcome, names)}. ` +
    judgement(guess, outcome);
}

/** A prediction of other runs than those that are shown. */
function pastPredictionText(state) {
  const names = state.about ? ["A", "B"] : labelsOf(freshState(state.lesson));
  return `Your first prediction, of ${names.join(" and ")}, was: ` +
    `${saidText(predictionOf(state.said), names)}.`;
}

/** The form that locks the answer. `locked(said)` is called once. */
function predictionForm(labels, locked) {
  const choice = (value, words) => element("label", {}, element("input",
    {type: "radio", name: "which", value, required: true}), ` ${words}`);
  const times = element("input", {type: "number", id: "times", min: 1, max: 10000, step: "any",
    value: 1.5});
  const form = element("form", {},
    element("h2", {id: "predict-title"}, "First say what you expect"),
    element("fieldset", {}, element("legend", {}, "Which run is faster?"),
      choice("a", labels[0]), choice("b", labels[1]), choice("same", "both the same (within 2 %)")),
    element("label", {}, "How many times as fast? ", times), " ",
    element("button", {type: "submit", class: "main"}, "Lock it in, and see"));
  form.addEventListener("submit", event => {
    event.preventDefault();
    const which = new FormData(form).get("which");
    locked(which === "same" ? "same 1" : `${which} ${Math.max(1, Number(times.value) || 1)}`);
  });
  return form;
}

/** A number to be found, or runs to be made so that something holds. */
class Exercise {
  constructor(exercise, ask, runsNow) {
    Object.assign(this, {exercise, ask, runsNow});
    this.said = element("p", {role: "status"});
    const isNumber = exercise.measure !== undefined;
    this.input = isNumber ? element("input", {type: "text", inputmode: "decimal", size: 8,
      id: "answer-of-exercise"}) : undefined;
    const form = element("form", {}, element("h2", {id: "exercise-title"}, "Exercise"),
      element("p", {}, exercise.text),
      ...isNumber ? [element("label", {}, "Your answer ", this.input, ` ${exercise.unit} `)] : [],
      element("button", {type: "submit"}, isNumber ? "Check" : "Check the runs above"), this.said);
    form.addEventListener("submit", event => {
      event.preventDefault();
      this.check();
    });
    this.node = form;
  }

  async check() {
    const {exercise} = this;
    this.said.textContent = exercise.measure !== undefined ? await this.checkNumber()
      : this.checkRuns();
  }

  /** Against a run of its own: nothing is written down that a change of the model could falsify. */
  async checkNumber() {
    const {exercise} = this, given = Number(this.input.value.replace(",", "."));
    if (!(given > 0)) return "Give a number above 0.";
    const {cases} = await this.ask({ask: "play", runs: exercise.runs});
    const values = cases.map(({report}) => report[exercise.measure]);
    const right = (exercise.runs.length > 1 ? values[0] / values[1] : values[0]) / exercise.scale;
    const off = Math.abs(given / right - 1);
    if (off <= exercise.within) {
      return `Right: ${parseFloat(right.toPrecision(4))} ${exercise.unit}.`;
    }
    return `Not yet: ${given > right ? "less" : "more"} than that. ${exercise.hint || ""}`;
  }

  checkRuns() {
    const {exercise} = this, [one, other] = this.runsNow();
    if (!one) return "The runs are still computing.";
    if (exercise.ends) {
      if (at(one.resolved, "job.algorithm") !== exercise.ends) {
        return `Not yet: the algorithm has to be ${exercise.ends}.`;
      }
      return one.report.deadlock ? `Not yet: it never ends. ${exercise.hint}` : "Right: it ends.";
    }
    if (!other) return "Show two runs side by side.";
    const ratio = other.seconds / one.seconds, [least, most] = exercise.ratio;
    const {counts, numa} = exercise.keep;
    const now = countsText(other.hosts.map((_, host) =>
      other.places.filter(place => place.host === host).length));
    if (counts && now !== counts) return `Not yet: run B has to be placed ${counts}.`;
    if (numa !== undefined && other.report.ranks.some(rank => rank.numa !== numa)) {
      return `Not yet: the ranks of run B have to stay on socket ${numa}.`;
    }
    const words = `B takes ${parseFloat(ratio.toPrecision(4))} times as long as A`;
    return ratio >= least && ratio <= most ? `Right: ${words}.` : `Not yet: ${words}. ` +
      `${exercise.hint || ""}`;
  }
}
