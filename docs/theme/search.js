// SPDX-License-Identifier: LGPL-2.1-or-later
// Search in the words of all pages, which words.js holds: sections with every word asked for, or
// one that begins so, singular or plural, headings first; if none has all, sections with most of
// them. Copy buttons.
"use strict";
(function () {
  const query = document.getElementById("query");
  const found = document.getElementById("found");
  const base = query.dataset.base;

  function at_word(text, word) {
    const escaped = word.replace(/[^a-z0-9]/g, "\\$&");
    return text.toLowerCase().search(new RegExp("(?<![a-z0-9])" + escaped));
  }

  // Other names of a thing as the pages call it, and words that tell nothing.
  const same = {__proto__: null, rccl: "nccl", hccl: "nccl", gloo: "allreduce",
    utilization: "utilisation"};
  const small = "vs versus or and the a of to in how do i why what when which where who is are " +
    "was does did has have it its my on at by for from with than too many much";
  for (const word of small.split(" ")) same[word] = "";

  function words_asked() {
    const all = query.value.toLowerCase().split(/[?,;!]*\s+|[?,;!]+$/).filter(Boolean);
    const known = all.map((word) => same[word] ?? word.replace(/^(mpi_i?|nccl)(?=[a-z])/, "")
      .replace(/(?<=[a-z]{3})s$/, "")).filter(Boolean);
    return known.length > 0 ? known : all;
  }

  // How many of the words a section has, and what they count: more in a heading.
  function place(row, asked) {
    let count = 0, sum = 0;
    for (const word of asked) {
      const heading = at_word(row[0] + " " + row[2], word) >= 0;
      if (!heading && at_word(row[3], word) < 0) continue;
      count += 1;
      sum += heading ? 10 : 1;
    }
    return [count, sum];
  }

  function excerpt(text, word) {
    const at = Math.max(0, at_word(text, word) - 50);
    return (at > 0 ? "... " : "") + text.slice(at, at + 140);
  }

  function line(row, asked) {
    const item = document.createElement("li");
    const link = document.createElement("a");
    link.href = base + "/" + row[1];
    link.textContent = row[2] && row[2] !== row[0] ? row[0] + ": " + row[2] : row[0];
    const small = document.createElement("small");
    small.textContent = excerpt(row[3], asked[0]);
    item.append(link, small);
    return item;
  }

  function show() {
    const asked = words_asked();
    const all = asked.length === 0 ? [] : words
      .map((row, number) => [...place(row, asked), number, row]).filter((entry) => entry[0] > 0);
    const most = Math.max(0, ...all.map((entry) => entry[0]));
    const rows = all.filter((entry) => entry[0] === most)
      .sort((a, b) => b[1] - a[1] || a[2] - b[2]).slice(0, 12);
    found.replaceChildren(...rows.map((entry) => line(entry[3], asked)));
    if (asked.length > 0 && most < asked.length) {
      const item = document.createElement("li");
      item.textContent = most === 0 ? "Nothing has any of these words."
        : "Nothing has all of these words. Sections with most of them:";
      found.prepend(item);
    }
  }

  // Of a command without its "$ ".
  async function copy(button, text) {
    try {
      await navigator.clipboard.writeText(text.replace(/^\$ /gm, "").trimEnd());
      button.textContent = "Copied";
    } catch (error) {
      button.textContent = "Not allowed";
    }
    setTimeout(() => { button.textContent = "Copy"; }, 2000);
  }

  for (const block of document.querySelectorAll("main pre")) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = "Copy";
    const text = block.textContent;
    button.addEventListener("click", () => copy(button, text));
    const frame = document.createElement("div");
    frame.className = "block";
    block.replaceWith(frame);
    frame.append(block, button);
  }

  query.addEventListener("input", show);
  query.addEventListener("keydown", (event) => {
    if (event.key === "Escape") {
      query.value = "";
      show();
    }
  });
})();
