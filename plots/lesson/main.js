// SPDX-License-Identifier: LGPL-2.1-or-later
// Puts the page of a recorded lesson together.

const CASES = DATA.cases.map((json, index) => new Case(json, index));

/** Cases to open with: the two that the scenario compares, else the first two; -1: none. */
function openingPair(names, compared) {
  const found = (compared || []).map(name => names.findLastIndex(one =>
    one.endsWith(` ${name}`) || one.includes(`${name} but `)));
  return found.length === 2 && Math.min(...found) >= 0 ? found : [0, names.length > 1 ? 1 : -1];
}

function choose() {
  const left = Number(byId("left").value), right = Number(byId("right").value);
  showCases((right < 0 || right === left ? [left] : [left, right]).map(index => CASES[index]));
}

function offerCases() {
  const options = () => CASES.map(one => element("option", {value: one.index}, one.name));
  byId("left").append(...options());
  byId("right").append(...options(), element("option", {value: -1}, "(none)"));
  [byId("left").value, byId("right").value] =
    openingPair(CASES.map(one => one.report.name), DATA.compare);
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

document.body.append(hatchDefinitions());
byId("eyebrow").textContent = `ringscope ${DATA.version}, a lesson`;
byId("question").textContent = DATA.question;
byId("words").append(...(DATA.lesson?.setup ? [DATA.lesson.setup] : DATA.words)
  .flatMap(paragraphs));

/** Of a printed page: a question to fill in and the exercise; with the answer, what is right. */
function sheetOf({predict: {number, order, reason}, runs, formula, exercise}) {
  const gap = "_".repeat(20), answer = text => element("span", {class: "of-answer"}, ` ${text}`);
  const names = order || (runs || CASES).map(one => one.name || one.case);
  const line = number ? `My prediction: ${gap} ${number.unit}`
    : order ? `My order, the fastest first: ${order.map(() => gap).join(", ")} (${
      scattered(order, order.join(" ")).map(([, one]) => one).join("; ")})`
      : `Faster: ${[...names, "equal"].map(name => `\u25a1 ${name}`).join("   ")}, ${gap} times`;
  return element("div", {class: "sheet"}, element("p", {}, line),
    element("ul", {}, ...scattered((reason || []).map(one => one.say)).map(([i, say]) =>
      element("li", reason[i].right ? {class: "right"} : {}, say, answer(reason[i].why || "")))),
    ...formula ? [element("p", {class: "of-answer"}, `Formula: ${formula.text}`)] : [],
    ...exercise ? [element("h2", {}, "Exercise"),
      element("p", {}, codeIn(exercise.text), answer(exercise.hint || ""))] : []);
}

/** Of a lesson the answer is shown on a click, in a lecture as well, and at #solution. */
function lock({title, predict, because}) {
  const open = element("button", {type: "button", class: "main"}, "Show the answer");
  byId("question").textContent = title || DATA.question;
  byId("predict").replaceChildren(element("h2", {}, predict.ask), open,
    sheetOf(DATA.lesson));
  byId("because").replaceChildren(element("h2", {}, "Why"), ...paragraphs(because));
  document.body.classList.add("locked");
  open.addEventListener("click", () => {
    document.body.classList.remove("locked");
    resize();
  });
  if (location.hash === "#solution") open.click();
}
offerCases();
listenToPlayer();
choose();
if (DATA.lesson?.predict && DATA.lesson.because) lock(DATA.lesson);
setTheme(matchMedia("(prefers-color-scheme: dark)").matches);
