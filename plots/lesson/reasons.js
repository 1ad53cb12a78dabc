// SPDX-License-Identifier: LGPL-2.1-or-later
// The explanation: the critical paths of both cases, and where the difference comes from.

/** In one sentence, as a list of texts and elements. */
function verdict(one, other) {
  const {report} = one;
  if (other) return unbroken(`${DATA.reasons[one.index][other.index]}.`);
  const algorithm = [report.algorithm, report.chosen].filter(Boolean).join(": ");
  const job = `${report.collective} (${algorithm})`;
  const what = `${job} of ${sizeText(report.bytes)} on ${plural(report.ranks_count, "rank")}`;
  const takes = report.deadlock ? "" : `takes ${timeText(one.seconds)}: `;
  return unbroken(`${what}, placed ${report.placement}, ${takes}` +
    `${DATA.reasons[one.index][one.index]}.`);
}

function bar(share, kind) {
  const filled = element("span", {class: `bar ${kind}`});
  filled.style.width = `${(Math.max(0, Math.min(1, share)) * 100).toFixed(2)}%`;
  return element("span", {class: "track"}, filled);
}

function table(caption, heads, rows) {
  return element("div", {class: "scroll"}, element("table", {},
    element("caption", {}, caption),
    element("thead", {}, element("tr", {},
      heads.map(head => element("th", {scope: "col", class: head === heads[0] ? "" : "n"}, head)))),
    element("tbody", {}, rows)));
}

const numberCell = words => element("td", {class: "n"}, words);
const rowHead = words => element("th", {scope: "row"}, breakable(words));

/** The time in whose unit `times` are written: the largest, or less where small ones need it. */
function scaleOf(times) {
  const largest = Math.max(...times), [unit] = unitFor(largest, TIME_UNITS);
  return largest < 10 * unit && times.some(time => time < unit / 10 && time >= 0.002 * largest)
    ? unit / 10 : largest;
}

/** A dash for what shows no digit. */
function shownTime(seconds, scale, text = timeText) {
  const words = text(seconds, scale);
  return /[1-9]/.test(words) ? words : "\u2013";
}
const timeCell = (...time) => numberCell(shownTime(...time));

/** What is too small to be told apart, as one line. */
function together(causes, keys) {
  const sums = keys.map(key => [key, causes.reduce((sum, cause) => sum + cause[key], 0)]);
  return {spent_on: `${causes.length} smaller causes`, ...Object.fromEntries(sums)};
}

/** A cause with the place of each run that spends most on it, where these differ. */
function withPlaces(row, cases) {
  const most = cases.map(({pieces}) => pieces.find(({cause}) => cause === row.cause));
  const at = row.first_s > row.other_s ? 0 : 1, piece = most[at], other = most[1 - at];
  return !piece || !other?.resource || other.place === piece.place ? row.spent_on
    : `${row.spent_on} (${cases[at].name}), ${other.place} (${cases[1 - at].name})`;
}

function differenceTable(one, other) {
  const causes = DATA.differences[one.index][other.index].map(cause =>
    ({...cause, spent_on: withPlaces(cause, [one, other])}));
  const largest = Math.max(one.seconds, other.seconds);
  const isSmall = cause => Math.max(cause.first_s, cause.other_s) < 0.002 * largest;
  const shown = causes.filter(cause => !isSmall(cause)), small = causes.filter(isSmall);
  if (small.length === 1) shown.push(...small.splice(0));
  if (small.length) shown.push(together(small, ["first_s", "other_s", "difference_s"]));
  shown.push({spent_on: "sum", first_s: one.seconds, other_s: other.seconds,
    difference_s: other.seconds - one.seconds});
  const scale = scaleOf(shown.flatMap(cause => [cause.first_s, cause.other_s]));
  const rows = shown.map(cause => element("tr", cause.spent_on === "sum" ? {class: "sum"} : {},
    rowHead(cause.spent_on), timeCell(cause.first_s, scale), timeCell(cause.other_s, scale),
    timeCell(cause.difference_s, scale, signedTime)));
  return table("The critical paths of both, cause by cause",
    ["cause", one.name, other.name, "difference"], rows);
}

function pathTable(one) {
  const all = one.pieces.map(piece => ({spent_on: pieceText(piece), seconds: piece.seconds}));
  const isLarge = (piece, i) => i < 6 && piece.seconds >= 0.002 * one.seconds;
  const shown = all.filter(isLarge), small = all.slice(shown.length);
  if (small.length === 1) shown.push(...small.splice(0));
  if (small.length) shown.push(together(small, ["seconds"]));
  const scale = scaleOf([one.seconds, ...shown.map(piece => piece.seconds)]);
  const rows = shown.map(piece => element("tr", {}, rowHead(piece.spent_on),
    timeCell(piece.seconds, scale),
    numberCell(`${(piece.seconds / one.seconds * 100).toFixed(1)} %`),
    element("td", {class: "wide"}, bar(piece.seconds / one.seconds, "path"))));
  const until = one.report.deadlock ? ", up to the deadlock" : "";
  return table(`${one.name}: the critical path${until}`, ["cause", "time", "share", ""], rows);
}

function resourceTable(one) {
  const rows = one.report.resources.slice(0, 5).map(resource => element("tr", {},
    rowHead(resource.name), numberCell(`${(resource.utilisation * 100).toFixed(1)} %`),
    element("td", {class: "wide"}, bar(resource.utilisation, "load"))));
  return table(`${one.name}: the busiest resources`, ["resource", "busy", ""], rows);
}

function rankTable(one) {
  const used = ACTIVITIES.filter(name => one.report.ranks.some(rank => rank.seconds[name] > 0));
  const most = 64;
  const ranks = one.report.ranks.slice(0, most);
  const columns = [rank => rank.finish_s, ...used.map(name => rank => rank.seconds[name])];
  const scales = columns.map(column => scaleOf(ranks.map(column)));
  const rows = ranks.map(rank => element("tr", {}, rowHead(`${rank.rank} on ${rank.host}`),
    columns.map((column, i) => timeCell(column(rank), scales[i]))));
  const missing = one.report.ranks.length - rows.length;
  return table(`${one.name}: where the time of each rank went` +
    (missing > 0 ? ` (the first ${most} of ${one.report.ranks.length})` : ""),
    ["rank", "end", ...used.map(name => name.replace("_", " "))], rows);
}

/** Details that are made when they are opened for the first time. */
function whenOpened(words, make) {
  const node = element("details", {}, element("summary", {}, words));
  node.addEventListener("toggle", () => node.append(make()), {once: true});
  return node;
}

function explain(cases) {
  const parts = [];
  if (cases.length === 2 && !cases.some(one => one.report.deadlock)) {
    parts.push(differenceTable(...cases));
  }
  parts.push(element("div", {class: "pair"}, cases.map(pathTable)));
  parts.push(element("div", {class: "pair"}, cases.map(resourceTable)));
  parts.push(whenOpened("Where the time of each rank went", () =>
    element("div", {class: "pair"}, cases.map(rankTable))));
  document.getElementById("reasons").replaceChildren(...parts);
}
