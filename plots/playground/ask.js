// SPDX-License-Identifier: LGPL-2.1-or-later
// Asks the program in WebAssembly from node: what a page would, without one.
//
//   node ask.js FOLDER ROOT < requests, one JSON a line; an answer a line
"use strict";
const fs = require("fs");
const path = require("path");

const [folder, root] = process.argv.slice(2);
const DATA = ["scenarios", "topologies/clusters"];  // as in build_page.py

function copyInto(program, below) {
  program.FS.mkdirTree(`/ringscope/${below}`);
  for (const entry of fs.readdirSync(path.join(root, below), {withFileTypes: true})) {
    const name = `${below}/${entry.name}`;
    if (entry.isDirectory()) copyInto(program, name);
    else if (name.endsWith(".yaml")) {
      program.FS.writeFile(`/ringscope/${name}`, fs.readFileSync(path.join(root, name)));
    }
  }
}

async function main() {
  const load = require(path.resolve(folder, "simulator.js"));
  const program = await load({wasmBinary: fs.readFileSync(path.join(folder, "simulator.wasm"))});
  for (const below of DATA) copyInto(program, below);
  const lines = fs.readFileSync(0, "utf8").split("\n").filter(Boolean);
  for (const line of lines) {
    const from = process.hrtime.bigint(), spent = process.cpuUsage();
    const text = program.ccall("ringscope_answer", "string", ["string"], [line]);
    const ms = Number(process.hrtime.bigint() - from) / 1e6;
    const cpu = process.cpuUsage(spent), cpuMs = (cpu.user + cpu.system) / 1e3;
    const answer = JSON.parse(text);
    fs.writeSync(1, `${JSON.stringify({ms, cpuMs, bytes: text.length, answer})}\n`);
  }
}
main();
