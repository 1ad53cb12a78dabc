// SPDX-License-Identifier: LGPL-2.1-or-later
// What the page remembers between visits, and a student's results as lines that can be checked.

/** Texts by key; nothing is remembered where the browser forbids it. */
const memory = {
  get(key) {
    try {
      return localStorage.getItem(`ringscope.${key}`);
    } catch (error) {
      return null;
    }
  },
  set(key, text) {
    try {
      localStorage.setItem(`ringscope.${key}`, text);
    } catch (error) {
      // as in a private window
    }
  },
};

/** Predictions and solved exercises by lesson. */
class Results {
  constructor() {
    try {
      this.lessons = JSON.parse(memory.get("results")) || {};
    } catch (error) {
      this.lessons = {};
    }
  }
  /** Adds to a lesson's result: {said}, {solved}. The first prediction stays. */
  add(id, more) {
    const known = this.lessons[id] || {};
    this.lessons[id] = {...more, ...known, ...more.solved ? {solved: true} : {}};
    memory.set("results", JSON.stringify(this.lessons));
  }
  has(id) {
    return Boolean(this.lessons[id]?.solved);
  }
  /**
   * A line for each lesson: its name, the student's, prediction, exercise, and a check sum. That
   * finds slips, not forgeries.
   */
  lines(name) {
    return LESSONS.filter(({id}) => this.lessons[id]).map(({id}) => {
      const {said = "", solved = false} = this.lessons[id];
      const line = ["ringscope", id, name.replaceAll("|", "/"), said,
        solved ? "solved" : "open"].join(" | ");
      return `${line} | ${hashOf(line)}`;
    }).join("\n");
  }
}

/** A form that shows the lines to hand in. */
function resultsForm(results) {
  const name = element("input", {type: "text", id: "name", autocomplete: "name", required: true});
  const lines = element("textarea", {rows: 5, readonly: true, "aria-label": "Result lines"});
  const form = element("form", {}, element("label", {}, "Your name ", name), " ",
    element("button", {type: "submit"}, "Show my result lines"), lines);
  lines.hidden = true;
  form.addEventListener("submit", event => {
    event.preventDefault();
    lines.value = results.lines(name.value.trim()) || "No prediction or exercise yet.";
    lines.hidden = false;
    lines.select();
  });
  return element("details", {class: "own"}, element("summary", {}, "Hand in my results"), form);
}
