// SPDX-License-Identifier: LGPL-2.1-or-later
// The source of the algorithm beside the pictures: the lines at which ranks are stand out.

/** Texts of sources by their paths; the playground has those of all algorithms. */
let SOURCES = JSON.parse(document.getElementById("sources")?.textContent || "{}");
// Sources that perform a program from a file are not that program.
const INTERPRETERS = /^algorithms\/(programs|traces|schedules)\//;

/** The rank that stands out in all cases; -1: none. */
const chosen = {rank: -1};
function chooseRank(rank) {
  chosen.rank = rank === chosen.rank ? -1 : rank;
  draw();
}

const indentOf = line => line.length - line.trimStart().length;
const isComment = line => /^\s*(\/\/|#)/.test(line);
const endsStatement = line => /^\s*$|[;{}:]\s*(\/\/.*)?$/.test(line) || isComment(line);

/** First and last line of the statement that a line belongs to: compilers name any of them. */
function statementAround(lines, at) {
  let first = at, last = at;
  while (first > 0 && !endsStatement(lines[first - 1])) --first;
  while (last + 1 < lines.length && !endsStatement(lines[last])) ++last;
  return [first, last];
}

/** First and last line of the function around a line, with the comment above it. Sources are
 * indented, so a function begins at the next line that is less so, opens a block, and is no loop
 * or condition. */
function functionAround(lines, at) {
  const opens = line => line.includes("(") && !/^\s*(}|(if|for|while|switch|else)\b)/.test(line);
  let first = at, last = at, indent = indentOf(lines[at]);
  for (let i = at - 1; i >= 0 && indent > 0; --i) {
    if (!lines[i].trim() || isComment(lines[i]) || indentOf(lines[i]) >= indent) continue;
    indent = indentOf(lines[i]);
    if (!opens(lines[i]) || !/{\s*$/.test(lines[statementAround(lines, i)[1]])) continue;
    first = i;
    break;
  }
  if (first < at) {
    while (last + 1 < lines.length && lines[last] !== `${" ".repeat(indent)}}` &&
      !lines[last].startsWith(`${" ".repeat(indent)}};`)) ++last;
  }
  while (first > 0 && isComment(lines[first - 1])) --first;
  return [first, last];
}

/** First and last line of the program of a scenario around a line, and the whole step there. */
function programAround(lines, at) {
  let first = at, last = at;
  while (first > 0 && !/^\s*(job\.)?program:/.test(lines[first])) --first;
  while (last + 1 < lines.length && (!lines[last + 1].trim() ||
    indentOf(lines[last + 1]) > indentOf(lines[first]))) ++last;
  while (!lines[last].trim()) --last;
  return [first, last];
}
function stepAround(lines, at) {
  let last = at;
  while (last + 1 < lines.length && indentOf(lines[last + 1]) > indentOf(lines[at])) ++last;
  return [at, last];
}

/** "rank 3", "ranks 0-3, 7", "12 ranks"; or the rank that is followed and the number of others. */
function whoText(ranks) {
  if (ranks.includes(chosen.rank)) {
    return `\u25b8 rank ${chosen.rank}${ranks.length > 1 ? ` +${ranks.length - 1}` : ""}`;
  }
  if (ranks.length === 1) return `rank ${ranks[0]}`;
  const runs = ranksText(ranks);
  return runs.length <= 8 ? `ranks ${runs}` : `${ranks.length} ranks`;
}

/** Sorted ranks as "0-3, 7". */
function ranksText(ranks) {
  const runs = [];
  for (const rank of ranks) {
    if (runs.length && runs.at(-1)[1] === rank - 1) runs.at(-1)[1] = rank;
    else runs.push([rank, rank]);
  }
  return runs.map(([first, last]) => first === last ? first : `${first}\u2013${last}`).join(", ");
}

class SourceView {
  /** Functions in which the ranks of a case are at any time; undefined if none is known. The view
   * `before` serves again if its lines are the same. */
  static of(one, before) {
    const {lines, rows} = one.spans, texts = new Set(lines.map(([, , path]) => SOURCES[path]));
    const key = JSON.stringify([rows.length, lines, ...texts]);
    const view = before?.key === key ? before : new SourceView(one);
    Object.assign(view, {one, key});
    return view.listings.length ? view : undefined;
  }

  constructor(one) {
    this.one = one;
    this.statements = [];  // by the index of a place: its rows; those of one statement are shared
    this.listings = [];
    this.paths = one.spans.lines.map(([, , path]) => path);
    const known = new Map();
    one.spans.lines.forEach(([, , path, line], place) => {
      if (!line || !SOURCES[path] || INTERPRETERS.test(path)) return;
      const lines = SOURCES[path].split("\n"), isProgram = path.endsWith(".yaml");
      const around = (isProgram ? programAround : functionAround)(lines, line - 1);
      const listing = known.get(path + around) || this.listing(path, lines, around);
      known.set(path + around, listing);
      const [first, last] = (isProgram ? stepAround : statementAround)(lines, line - 1);
      this.statements[place] = listing.statements[first] ||=
        {listing, rows: listing.rows.slice(first - around[0], last - around[0] + 1)};
    });
    this.all = [...new Set(this.statements.filter(Boolean))];
    this.rank = element("select", {}, element("option", {value: -1}, "none"),
      one.spans.rows.map((_, rank) => element("option", {value: rank}, rank)));
    this.rank.addEventListener("change", () => {
      chosen.rank = -1;
      chooseRank(Number(this.rank.value));
    });
    const open = !matchMedia("(max-width: 600px)").matches;
    this.node = element("details", {class: "source", open},
      element("summary", {}, "Lines of the program"),
      element("label", {class: "choice"}, "Rank to follow ", this.rank),
      this.listings.sort((a, b) => this.paths.indexOf(a.path) - this.paths.indexOf(b.path) ||
        a.first - b.first).flatMap(({path, box}, i, all) => path === all[i - 1]?.path ? [box]
        : [element("p", {class: "path"}, breakable(path)), box]));
  }

  listing(path, lines, [first, last]) {
    const rows = lines.slice(first, last + 1).map(line => element("span", {class: "row"},
      element("span", {class: "who"}),
      element("span", {class: isComment(line) ? "comment" : ""}, `${line}\n`)));
    const name = `Lines ${first + 1} to ${last + 1} of ${path}`;
    const box = element("pre", {tabindex: 0, role: "region", "aria-label": name},
      element("code", {}, rows));
    this.listings.push({path, first, rows, box, statements: {}});
    return this.listings.at(-1);
  }

  draw(tick) {
    const {spans} = this.one, ranksAt = new Map();
    spans.rows.forEach((_, rank) => {
      const statement = this.statements[spans.lineAt(rank, tick)];
      if (!statement) return;
      if (!ranksAt.has(statement)) ranksAt.set(statement, []);
      ranksAt.get(statement).push(rank);
    });
    for (const statement of this.all) this.light(statement, ranksAt.get(statement) || []);
    this.rank.value = chosen.rank;
    const lit = [...ranksAt.keys()];
    const wanted = lit.find(one => ranksAt.get(one).includes(chosen.rank)) || lit[0];
    // To measure takes a layout: once all pictures are drawn.
    if (wanted && wanted !== this.shown) requestAnimationFrame(() => this.bringIn(wanted));
    this.shown = wanted;
  }

  light(statement, ranks) {
    const all = ranks.length ? `ranks ${ranksText(ranks)}` : "", who = all && whoText(ranks);
    if (statement.shown === who + all) return;
    statement.shown = who + all;
    const [first] = statement.rows;
    first.firstChild.textContent = who;
    first.title = all;
    for (const row of statement.rows) {
      row.classList.toggle("lit", ranks.length > 0);
      row.classList.toggle("chosen", ranks.includes(chosen.rank));
    }
  }

  /** Scrolls within the listing alone. */
  bringIn({listing: {box}, rows: [row]}) {
    const top = row.offsetTop - box.offsetTop;
    if (top < box.scrollTop || top > box.scrollTop + box.clientHeight - 20) {
      box.scrollTop = top - box.clientHeight / 3;
    }
  }
}
