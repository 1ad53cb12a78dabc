// SPDX-License-Identifier: LGPL-2.1-or-later
// First say what you expect, then see; and the exercise of each lesson.

const SAME = 1.02;  // so close two times count as the same
const FASTER = {ask: "Which run is faster, and by how much?", faster: true};

/** What a state asks before its answer: its lesson's question, or which of two runs is faster. */
function questionOf(state) {
  const {predict} = lessonOf(state);
  if (predict && !predict.faster && !state.text) return predict;
  return state.two ? {...FASTER, ...state.text ? {} : predict} : undefined;
}

const digits = value => parseFloat(value.toPrecision(3));

/**
 * What was said, from "a 1.5 because 2": `which` run is faster ("same"), or the kind of question
 * (order, number, reason); `values`: the factor, the places of the order, the number.
 */
function predictionOf(said) {
  const [words, reason] = said.split(" because "), [which, ...values] = words.split(" ");
  return {which, values: values.map(Number), times: Number(values[0]) || 1,
    reason: reason === undefined ? -1 : Number(reason)};
}

/** Which of two runs is faster, in the same form. */
function outcomeOf([one, other]) {
  const times = other.seconds / one.seconds;
  if (Math.max(times, 1 / times) <= SAME) return {which: "same", times: 1};
  return times > 1 ? {which: "a", times} : {which: "b", times: 1 / times};
}

const timesText = times => `${digits(times)} times as fast`;

/** Which run was said to be faster, in words; `names` of both runs. */
function fasterText({which, times}, names) {
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
  return ratio <= 1.1 ? `Right, and within ${Math.max(1, Math.round((ratio - 1) * 100))} %.`
    : `The right run. The factor is ${digits(outcome.times)}; you said ${digits(guess.times)}.`;
}

/** The sentence that compares a guess of the faster run with the outcome. */
function fasterJudged(guess, cases) {
  const outcome = outcomeOf(cases), names = cases.map(one => one.name);
  return `You said: ${fasterText(guess, names)}. It is: ${fasterText(outcome, names)}. ` +
    judgement(guess, outcome);
}

/** Pairs that are in the right order, and the order. `seconds` of each of the `names`. */
function orderJudged({values}, names, seconds) {
  const right = names.map((_, i) => i).sort((a, b) => seconds[a] - seconds[b]);
  const list = right.map(i => `${names[i]} (${timeText(seconds[i])})`).join("; ");
  let good = 0, pairs = 0;
  values.forEach((one, i) => values.slice(i + 1).forEach(other => {
    ++pairs;
    good += seconds[one] <= seconds[other];
  }));
  return (good === pairs ? "Right. " : `${good} of ${plural(pairs, "pair")} in the right order. `) +
    `Fastest first: ${list}.`;
}

/** How far a number is off; `question` has its unit and how far it may be off. */
function numberJudged({values: [given]}, {measure, scale = 1, unit, within}, report) {
  const right = report[measure] / scale, off = Math.abs(given / right - 1);
  const words = `You said ${given} ${unit}. It is ${parseFloat(right.toPrecision(4))} ${unit}`;
  return off <= within ? `Right. ${words}.`
    : `${words}: yours is ${given > right ? "above" : "below"} it by ${Math.round(off * 100)} %.`;
}

/** What a choice of a reason deserves: the misconception is answered. `alone`: nothing else is
 * asked. */
function reasonJudged(chosen, reasons, alone) {
  const one = reasons[chosen], right = reasons.find(reason => reason.right);
  if (!one) return "";
  if (one.right) return `${alone ? "Right" : "And the right reason"}: ${one.say}`;
  return `You said: \u201c${one.say}\u201d ${one.why} ` +
    `The ${alone ? "answer" : "reason"}: ${right.say}`;
}

/** All sentences about what was said. `timesOf(names)`: seconds of cases, later. */
async function predictionText(state, cases, timesOf) {
  const question = questionOf(state), guess = predictionOf(state.said), texts = [];
  const {order, number, reason = []} = question;
  if (order) texts.push(orderJudged(guess, order, await timesOf(order)));
  else if (number) texts.push(numberJudged(guess, number, cases[0].report));
  else if (question.faster && !cases.some(one => one.report.deadlock)) {
    texts.push(fasterJudged(guess, cases));
  }
  const isAlone = !Object.keys(FIELDS).some(kind => question[kind]);
  return [...texts, reasonJudged(guess.reason, reason, isAlone)].filter(Boolean).join(" ");
}

/** A prediction of other runs than those that are shown. */
function pastPredictionText(state) {
  const {order, number} = questionOf(state) || {}, guess = predictionOf(state.said);
  if (order) return `Your first prediction was: ${guess.values.map(i => order[i]).join("; ")}.`;
  if (number) return `Your first prediction was ${guess.values[0]} ${number.unit}.`;
  if (guess.which === "reason") return "";
  const names = state.about ? ["A", "B"] : labelsOf(freshState(state.lesson));
  return `Your first prediction, of ${names.join(" and ")}, was: ${fasterText(guess, names)}.`;
}

/** Radio buttons below a legend. */
function choices(legend, name, options) {
  return element("fieldset", {class: name}, element("legend", {}, legend),
    options.map(([value, words]) => element("label", {},
      element("input", {type: "radio", name, value, required: true}), " ",
      element("span", {}, unbroken(words)))));
}

/** Fields of one kind of question, and `said(data)`: what they hold, as text. */
const FIELDS = {
  faster(_, labels) {
    const times = element("input", {type: "number", id: "times", min: 1, max: 10000, step: "any",
      required: true});
    const lettered = labels.map((label, i) => label === "AB"[i] ? label : `${"AB"[i]}: ${label}`);
    const nodes = [choices("Which run is faster?", "which", [["a", lettered[0]],
      ["b", lettered[1]], ["same", "both the same (within 2 %)"]]),
    element("label", {}, "How many times as fast? ", times)];
    nodes[0].addEventListener("change", event => {
      times.disabled = event.target.value === "same";
    });
    return {nodes, said: data => data.get("which") === "same" ? "same 1"
      : `${data.get("which")} ${Math.max(1, Number(times.value) || 1)}`};
  },
  order({order}) {
    const places = ["fastest", ...order.slice(2).map((_, i) => `${i + 2}.`), "slowest"];
    const selects = places.map(place => element("select", {"aria-label": place, required: true},
      element("option", {value: ""}, "choose ..."),
      scattered(order, order.join(" ")).map(([i, name]) => element("option", {value: i}, name))));
    const check = () => {
      const chosen = selects.map(one => one.value);
      selects.forEach((one, i) => one.setCustomValidity(
        chosen[i] && chosen.indexOf(chosen[i]) < i ? "Each case stands once." : ""));
    };
    const list = element("ol", {class: "order"}, selects.map((one, i) =>
      element("li", {}, element("label", {}, `${places[i]} `, one))));
    list.addEventListener("change", check);
    return {nodes: [list], said: () => `order ${selects.map(one => one.value).join(" ")}`};
  },
  number({number}) {
    const input = element("input", {type: "number", id: "number", min: 0, step: "any",
      required: true});
    return {nodes: [element("label", {}, "Your number ", input, ` ${number.unit}`)],
      said: () => `number ${input.value}`};
  },
};

/** The form that locks the answer. `locked(said)` is called once. */
function predictionForm(question, labels, locked) {
  const kind = Object.keys(FIELDS).find(name => question[name]);
  const fields = kind ? FIELDS[kind](question, labels) : {nodes: [], said: () => "reason"};
  const reasons = scattered((question.reason || []).map(({say}) => say));
  const form = element("form", {},
    element("h2", {id: "predict-title"}, unbroken(question.ask)), ...fields.nodes,
    ...reasons.length ? [choices(kind ? "Why?" : "Choose one.", "reason", reasons)] : [],
    element("button", {type: "submit", class: "main"}, "Lock it in, and see"));
  form.addEventListener("submit", event => {
    event.preventDefault();
    const data = new FormData(form), reason = data.get("reason");
    locked(fields.said(data) + (reason === null ? "" : ` because ${reason}`));
  });
  return form;
}

/** Condition of a solution that these runs break, in words; empty if they break none. */
function notKept({counts, numa, same, product, is, what}, one, other) {
  const now = countsText(other.hosts.map((_, host) =>
    other.places.filter(place => place.host === host).length));
  if (counts && now !== counts) return `run B has to be placed ${counts}.`;
  if (numa !== undefined && other.report.ranks.some(rank => rank.numa !== numa)) {
    return `the ranks of run B have to stay on socket ${numa}.`;
  }
  const [left, right] = [one, other].map(run => same && at(run.resolved, same));
  if ((valueOf(left) ?? left) !== (valueOf(right) ?? right)) {
    return `${same} has to be the same in both runs, but is ${left} in A and ${right} in B.`;
  }
  const found = (product || []).reduce((all, key) => all * (at(other.resolved, key) ?? 0), 1);
  return product && found !== is ? `run B has ${found} ${what} instead of ${is}.` : "";
}

/** A number to be found, or runs to be made so that something holds. */
class Exercise {
  constructor(exercise, ask, runsNow, solved) {
    Object.assign(this, {exercise, ask, runsNow, solved});
    this.said = element("p", {role: "status"});
    const isNumber = exercise.runs !== undefined;
    this.input = isNumber ? element("input", {type: "text", inputmode: "decimal", size: 8,
      id: "answer-of-exercise"}) : undefined;
    const form = element("form", {}, element("h2", {id: "exercise-title"}, "Exercise"),
      element("p", {}, codeIn(exercise.text)),
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
    try {
      this.said.textContent = exercise.runs ? await this.checkNumber() : this.checkRuns();
    } catch (error) {
      this.said.textContent = error.message;
    }
    if (/^Right/.test(this.said.textContent)) this.solved();
  }

  /** Against a run of its own: nothing is written down that a change of the model could falsify. */
  async checkNumber() {
    const {exercise} = this, given = Number(this.input.value.replace(",", "."));
    if (!(given > 0)) return "Give a number above 0.";
    const {cases} = await this.ask(exercise.runs);
    const values = cases.map(({report}) => report[exercise.measure]);
    const right = (values.length > 1 ? values[0] / values[1] : values[0]) / (exercise.scale || 1);
    const off = Math.abs(given / right - 1);
    if (off <= exercise.within) {
      const words = `Right: ${parseFloat(right.toPrecision(4))} ${exercise.unit}.`;
      return off < 0.001 ? words : `${words} Yours is ${(100 * off).toFixed(1)} % off.`;
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
      return one.report.deadlock ? `Not yet: it deadlocks. ${exercise.hint}` : "Right: it ends.";
    }
    if (!other && !exercise.between) return "Show two runs side by side.";
    const lost = exercise.keep && notKept(exercise.keep, one, other || one);
    if (lost) return `Not yet: ${lost}`;
    if (exercise.between) return this.checkValue(other || one);
    const ratio = other.seconds / one.seconds, [least, most] = exercise.ratio;
    const words = `B takes ${parseFloat(ratio.toPrecision(4))} times as long as A`;
    return ratio >= least && ratio <= most ? `Right: ${words}.` : `Not yet: ${words}. ` +
      `${exercise.hint || ""}`;
  }

  /** A measure of a run that has to be in a range. */
  checkValue({name, report}) {
    const {between: [least, most], measure, scale = 1, unit, hint} = this.exercise;
    const value = report[measure] / scale;
    const words = `${name} has ${parseFloat(value.toPrecision(4))} ${unit}`;
    return value >= least && value <= most ? `Right: ${words}.` : `Not yet: ${words}, ` +
      `${value < least ? `less than ${least}` : `more than ${most}`} ${unit}. ${hint}`;
  }
}
