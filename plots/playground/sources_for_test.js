// SPDX-License-Identifier: LGPL-2.1-or-later
// Scripts of the page in node, without a page: for tests.
//
//   node sources_for_test.js 'SCRIPT' < JSON: prints what SCRIPT returns, the body of an async
//   function; the JSON is its `input`
"use strict";
const {execFileSync} = require("child_process");
const fs = require("fs");
const path = require("path");

const NAMES = [...["format", "data", "theme", "flights", "path", "zoom", "timeline", "reasons",
  "case_view"].map(name => `../lesson/${name}.js`), ...["state", "places", "settings", "prediction",
  "lesson_text", "curve", "formula", "own_numbers", "record"].map(name => `${name}.js`)];
const read = name => fs.readFileSync(path.join(__dirname, name), "utf8");

/** An element that takes everything and shows nothing. */
class Node {
  constructor() {
    Object.assign(this, {style: {}, dataset: {}, classList: {toggle() {}}, options: [], value: ""});
  }
}
for (const name of ["append", "replaceChildren", "setAttribute", "removeAttribute"]) {
  Node.prototype[name] = () => {};
}
Node.prototype.addEventListener = function (name, heard) {
  this[`on${name}`] = heard;
};
const document = {createElement: () => new Node(), createTextNode: () => new Node(),
  getElementById: id => ({textContent: id === "data" ? '{"ticks": 1000000, "cases": []}'
    : execFileSync("/usr/bin/python3", ["-B", "-m", "plots.playground.course"],
      {cwd: path.join(__dirname, "../..")}).toString()})};
const body = `"use strict";\n${NAMES.map(read).join("")}
  return (async () => { ${process.argv[2]} })();`;
new Function("document", "input", body)(document, JSON.parse(fs.readFileSync(0, "utf8")))
  .then(result => process.stdout.write(JSON.stringify(result)));
