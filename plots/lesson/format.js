// SPDX-License-Identifier: LGPL-2.1-or-later
// Numbers and words for people.

const ACTIVITIES = ["compute", "reduce", "copy", "overhead", "in_send", "in_wait", "idle"];
const ACTIVITY_WORDS = ["computes", "reduces", "copies", "overhead", "blocked in a send",
  "blocked in a wait", "idle"];
const CAUSES = ["compute", "reduce", "overhead", "copy", "memory", "wire", "lock", "latency",
  "protocol", "partner", "progress", "skew", "storage", "sleep", "noise", "input",
  "pinning"];
const CAUSE_WORDS = {
  compute: "computing", reduce: "reducing", overhead: "overhead of messages", copy: "CPU copy",
  memory: "memory", wire: "link", lock: "a lock", latency: "latency", protocol: "handshake",
  partner: "partner not there yet", progress: "partner makes no progress", skew: "late start",
  storage: "storage", sleep: "waiting for a clock", noise: "noise",
  input: "the input", pinning: "pinning buffers",
};
// What pictures tell apart: what a rank does itself, and what it is blocked by.
const KIND_WORDS = {
  compute: "computes", reduce: "reduces", copy: "copies", overhead: "overhead",
  "wait-copy": "blocked: a core copies", "wait-wire": "blocked: network",
  "wait-latency": "blocked: latency, handshake", "wait-memory": "blocked: memory",
  "wait-partner": "blocked: partner or own stream not ready",
  "wait-progress": "blocked: the partner makes no progress", "wait-lock": "blocked: a lock",
  "wait-other": "blocked: other", idle: "idle",
};
/** Where no single rank is waited for, and where it is the rank itself. */
const MANY_PARTNERS = "not all partners there yet", OWN_THREAD = "own thread or stream not ready";
/** Of the critical path: the same kinds, of time and not of ranks. */
const PATH_WORDS = {
  compute: "computing", reduce: "reducing", overhead: "overhead", "wait-copy": "a core copies",
  "wait-wire": "network", "wait-latency": "latency, handshake", "wait-memory": "memory",
  "wait-partner": "the partner is not there", "wait-progress": "the partner makes no progress",
  "wait-lock": "a lock", "wait-other": "other",
};
const OWN_WAITS = ["copy", "wire", "latency", "memory", "partner", "progress", "lock"];

/** Of what one is blocked by. */
function waitKind(cause) {
  if (cause === "protocol") return "wait-latency";
  return OWN_WAITS.includes(cause) ? `wait-${cause}` : "wait-other";
}

/** What pictures tell apart, of a cause on the critical path. */
const pathKind = cause => ({compute: "compute", reduce: "reduce", overhead: "overhead"}[cause] ||
  waitKind(cause));

const TIME_UNITS = [[1, "s"], [1e-3, "ms"], [1e-6, "us"], [1e-9, "ns"]];
const RATE_UNITS = [[1e9, "GB/s"], [1e6, "MB/s"], [1e3, "kB/s"], [1, "B/s"]];
const SIZE_UNITS = [[2 ** 40, "TiB"], [2 ** 30, "GiB"], [2 ** 20, "MiB"], [2 ** 10, "KiB"],
  [1, "B"]];
const DECIMAL_SIZE_UNITS = [[1e12, "TB"], [1e9, "GB"], [1e6, "MB"], [1e3, "kB"]];

function unitFor(value, units) {
  return units.find(([size]) => Math.abs(value) >= size) || units[units.length - 1];
}

/** Four digits and a unit, those of `largest`: times that compare at a glance. */
function timeText(seconds, largest = seconds) {
  const [size, unit] = unitFor(largest, TIME_UNITS);
  const whole = Math.floor(Math.log10(Math.max(Math.abs(largest) / size, 1))) + 1;
  return `${(seconds / size).toFixed(Math.max(0, 4 - whole))} ${unit}`;
}

function signedTime(seconds, largest) {
  return (seconds < 0 ? "\u2212" : "+") + timeText(Math.abs(seconds), largest);
}

function quantity(value, units) {
  const [size, unit] = unitFor(value, units);
  return `${parseFloat((value / size).toPrecision(4))} ${unit}`;
}
const rateText = value => quantity(value, RATE_UNITS);

/** "100 MB", and not "95.37 MiB", where four digits say it all; else in units of 1024. Of less than
 * 1 MiB each byte is told. */
function sizeText(value) {
  const says = units => {
    const [size] = unitFor(value, units);
    return parseFloat((value / size).toPrecision(4)) * size === value;
  };
  const decimal = value >= 1000 && !says(SIZE_UNITS) && says(DECIMAL_SIZE_UNITS);
  if (value < 2 ** 20 && Number.isInteger(value) && !says(SIZE_UNITS) && !decimal) {
    return `${value} B`;
  }
  return quantity(value, decimal ? DECIMAL_SIZE_UNITS : SIZE_UNITS);
}
const percent = share => `${Math.round(share * 100)} %`;

function plural(count, word) {
  return `${count} ${word}${count === 1 ? "" : "s"}`;
}

/** "step 3 of 7 of reduce-scatter", counted from 1. */
function stepText(step, count) {
  return `step ${step.step + 1} of ${count} of ${step.phase}`;
}

/** An element with attributes and children; texts are children too. */
function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === true) made.setAttribute(key, "");
    else if (value !== false && value !== undefined) made.setAttribute(key, value);
  }
  made.append(...children.flat().filter(child => child !== undefined));
  return made;
}

function svg(name, attributes = {}, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

const UNIT_SIZES = {B: 1, kB: 1e3, MB: 1e6, GB: 1e9, KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30,
  "bit/s": 1 / 8, "kbit/s": 125, "Mbit/s": 125e3, "Gbit/s": 125e6, "Tbit/s": 125e9,
  "B/s": 1, "kB/s": 1e3, "MB/s": 1e6, "GB/s": 1e9, "GiB/s": 2 ** 30,
  s: 1, ms: 1e-3, us: 1e-6, ns: 1e-9};

/** "10 Gbit/s" as a number of the unit's own kind; undefined for anything else. */
function valueOf(text) {
  const [, number, unit] = /^([0-9.e+-]+)\s*(\S+)$/.exec(String(text)) || [];
  return unit in UNIT_SIZES ? Number(number) * UNIT_SIZES[unit] : undefined;
}

/** Whole sizes in the largest unit that says them exactly: "16 MiB", "65537 B". */
function sizeWords(bytes) {
  const [size, unit] = SIZE_UNITS.find(([size]) => bytes >= size && bytes % size === 0);
  return `${bytes / size} ${unit}`;
}

/** A number below 2^32 that differs where texts do; check_results.py computes it as well. */
const hashOf = text => [...text].reduce((sum, letter) =>
  (sum * 31 + letter.codePointAt(0)) % 4294967291, 7);

/** [index, text] of texts, in an order that does not depend on theirs; another for each `salt`. */
const scattered = (texts, salt = "") => texts.map((text, i) => [i, text])
  .sort(([, a], [, b]) => hashOf(salt + a) - hashOf(salt + b));

/** A long name, which a narrow column may break after each of its parts. */
const breakable = name => name.split(/(?<=[/._>])(?=\w)/).flatMap((part, i) =>
  i ? [element("wbr"), part] : [part]);

// What no line may break: numbers with units, short brackets, words with hyphens.
const WHOLE = new RegExp("\\d[\\d.,]* (?:[KMGT]iB|[kMGT]?B(?:/s)?|[kMGT]?bit/s|ms|us|ns|%)(?!\\w)" +
  "[.,:;)]*|(?:\\d+ )?\\([^()]{1,12}\\)(?:/\\w)?[.,:;]?|\\S+-\\S+", "g");

/** Words as texts and elements, so that "4 %", "2 (P - 1)" and "4-3-1" stay in one piece. */
function unbroken(words) {
  const parts = [];
  let at = 0;
  for (const {0: whole, index} of words.matchAll(WHOLE)) {
    if (whole.length >= 30) continue;
    parts.push(words.slice(at, index), element("span", {class: "unbroken"}, whole));
    at = index + whole.length;
  }
  return [...parts, words.slice(at)].filter(part => part !== "");
}

/** Words with `code` in backticks. */
const codeIn = words => words.split("`").flatMap((part, i) =>
  i % 2 ? [element("code", {}, part)] : unbroken(part));
const paragraphs = words => words.split("\n").filter(Boolean).map(one =>
  element("p", {}, codeIn(one)));
