// SPDX-License-Identifier: LGPL-2.1-or-later
// The texts of a lesson: setup, explanation, steps, and the map of the course.

/** What is shown before the question: what there is, and what can be learnt from it. */
function setupOf(lesson) {
  const needs = lesson.needs.map(id => lessonNamed(id)).map(one => `${one.number} ${one.title}`);
  return [...paragraphs(lesson.setup),
    element("p", {class: "facts"}, element("b", {}, "Goal: "), unbroken(lesson.goal),
      ` ${lesson.minutes} minutes.${needs.length ? ` After: ${needs.join(", ")}.` : ""}`)];
}

/** Sentences with the runs that show them; `shown(runs)` is called for the chosen one. */
function stepsOf(lesson, shown) {
  const items = lesson.steps.map(({say, runs}) => {
    const item = element("li", {}, element("span", {}, codeIn(say)));
    if (!runs) return item;
    const button = element("button", {type: "button"}, "Show");
    button.addEventListener("click", () => {
      for (const one of items) one.removeAttribute("aria-current");
      item.setAttribute("aria-current", "step");
      shown(runs);
    });
    item.append(" ", button);
    return item;
  });
  return element("ol", {class: "steps"}, items);
}

/** What is shown after the prediction. */
function becauseOf(lesson, shown) {
  return [element("div", {}, element("h2", {}, "Why"), ...paragraphs(lesson.because),
    element("h2", {}, "Step by step"), stepsOf(lesson, shown))];
}

function furtherOf(lesson) {
  return [element("h2", {}, "Further reading"),
    element("ul", {}, lesson.further.map(text => element("li", {}, text)))];
}

/** Lessons by module: [[module, lessons]]. */
function modulesOf(lessons) {
  const modules = new Map();
  for (const one of lessons) modules.set(one.module, [...modules.get(one.module) || [], one]);
  return [...modules];
}

/** The lessons of each module with what they need; `isDone(id)`, `go(id)`. */
function mapOf(isDone, go) {
  return modulesOf(LESSONS).map(([module, lessons]) => element("section", {},
    element("h3", {}, module), element("p", {class: "facts"}, lessons[0].module_goal),
    element("ol", {}, lessons.map(({id, number, title, minutes, needs}) => {
      const link = element("a", {href: `#lesson=${id}`}, `${number} ${title}`);
      link.addEventListener("click", event => {
        event.preventDefault();
        go(id);
      });
      const after = needs.map(need => lessonNamed(need).number).join(", ");
      return element("li", {class: isDone(id) ? "done" : ""}, link,
        element("span", {class: "facts"}, ` ${minutes} min${after && `, after ${after}`}`,
          isDone(id) ? ", done" : ""));
    }))));
}
