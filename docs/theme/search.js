// SPDX-License-Identifier: LGPL-2.1-or-later
// Search in the words of all pages, which words.js holds: sections that have every word asked for,
// or one that begins so; those that have them in a heading first.
"use strict";
(function () {
  const query = document.getElementById("query");
  const found = document.getElementById("found");
  const base = query.dataset.base;

  function at_word(text, word) {
    const escaped = word.replace(/[^a-z0-9]/g, "\\$&");
    return text.toLowerCase().search(new RegExp("(?<![a-z0-9])" + escaped));
  }

  function place(row, asked) {
    let sum = 0;
    for (const word of asked) {
      if (at_word(row[0] + " " + row[2], word) >= 0) sum += 10;
      else if (at_word(row[3], word) >= 0) sum += 1;
      else return 0;
    }
    return sum;
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
    const asked = query.value.toLowerCase().split(/\s+/).filter(Boolean);
    const rows = asked.length === 0 ? [] : words
      .map((row, number) => [place(row, asked), number, row])
      .filter((entry) => entry[0] > 0)
      .sort((a, b) => b[0] - a[0] || a[1] - b[1])
      .slice(0, 12);
    found.replaceChildren(...rows.map((entry) => line(entry[2], asked)));
    if (asked.length > 0 && rows.length === 0) {
      const item = document.createElement("li");
      item.textContent = "Nothing has all of these words.";
      found.append(item);
    }
  }

  query.addEventListener("input", show);
  query.addEventListener("keydown", (event) => {
    if (event.key === "Escape") {
      query.value = "";
      show();
    }
  });
})();
