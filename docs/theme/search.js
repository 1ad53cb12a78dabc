// SPDX-License-Identifier: LGPL-2.1-or-later
// Search in the words of all pages, which words.js holds: sections with any of the words asked for,
// rare words before frequent ones, headings before texts. A word stands for all that begin with it,
// for its plural or singular, and, with less weight, for its synonyms. A word that no page has is
// split into two that pages have, or replaced by the one nearest in spelling. Copy buttons.
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
    "was does did has have it its my on at by for from with than too many much can should " +
    "take takes we me i'm there here effect";
  for (const word of small.split(" ")) same[word] = "";

  // Each line: words for one thing. A section with another word of the line is found, too.
  const lines = `
    allreduce all-reduce
    allgather all-gather
    alltoall all-to-all
    reduce-scatter reduce_scatter reducescatter
    broadcast bcast
    slow slower slowdown low bandwidth bottleneck
    bandwidth throughput beta busbw algbw
    latency alpha delay ping-pong
    congestion incast contention many-to-one oversubscription
    placement mapping binding pinning affinity
    hang deadlock stuck freeze
    host node machine
    message msg
    time duration
    degraded faulty broken dead
    gpu accelerator cuda
    nic hca adapter
    infiniband ib rdma verbs
    switch leaf spine
    topology fabric network
    calibrate calibration fit
    predict prediction estimate forecast
    error accuracy uncertainty
    accuracy accurate
    share shared sharing
    plot picture figure chart graph draw
    overlap exposed hidden
    segment fragment chunk piece
    straggler noise jitter
    batch sbatch slurm prolog
    optimize optimise tune tuning
    fraction share`;

  // The common beginning of singular and plural: latenc for latency and latencies.
  function stem(word) {
    return word.replace(/(?<=ch|sh|ss|x)es$|(?<=[a-z]{4})(ies|y)$|(?<=[a-z]{3})s$/, "");
  }

  const synonyms = new Map();
  for (const line of lines.trim().split("\n")) {
    const group = line.trim().split(" ").map(stem);
    for (const word of group)
      synonyms.set(word, [...synonyms.get(word) ?? [], ...group.filter((one) => one !== word)]);
  }

  function words_asked() {
    const all = query.value.toLowerCase().replace(/\ball (reduce|gather|to all)\b/g, "all-$1")
      .replace(/\bhow long\b/, "time").split(/[?,;!]*\s+|[?,;!]+$/).filter(Boolean);
    const known = all.map((word) => same[word] ??
      stem(word.replace(/^(mpi_i?|nccl)(?=[a-z])/, ""))).filter(Boolean);
    return known.length > 0 ? known.flatMap(as_spelled) : all;
  }

  // How often the pages have each of their words.
  let vocabulary = null;
  function counts() {
    if (vocabulary) return vocabulary;
    vocabulary = new Map();
    for (const [page, , heading, text] of words)
      for (const word of `${page} ${heading} ${text}`.toLowerCase().match(/[a-z]+/g) ?? [])
        vocabulary.set(word, (vocabulary.get(word) ?? 0) + 1);
    return vocabulary;
  }

  // Whether one letter added, removed, changed or swapped with the next makes `a` of `b`.
  function one_letter_apart(a, b) {
    let at = 0;
    while (at < a.length && a[at] === b[at]) ++at;
    return [[0, 1], [1, 0], [1, 1]].some(([skip, other]) =>
      a.slice(at + skip) === b.slice(at + other)) ||
      a[at] === b[at + 1] && a[at + 1] === b[at] && a.slice(at + 2) === b.slice(at + 2);
  }

  // The words that a mistyped one may mean: two joined ones, or the most frequent similar one.
  function as_spelled(word) {
    if (word.length < 6 || synonyms.has(word) || /[^a-z]/.test(word)) return [word];
    const all = [...counts()];
    if (all.some(([known]) => known.startsWith(word))) return [word];
    const similar = all.filter(([known]) => known[0] === word[0] &&
      (one_letter_apart(known, word) || one_letter_apart(stem(known), word)));
    if (similar.length > 0)
      return [stem(similar.reduce((best, one) => one[1] > best[1] ? one : best)[0])];
    const ends = (one) => (vocabulary.get(one) ?? 0) + (vocabulary.get(one + "s") ?? 0) > 2;
    for (let at = word.length - 3; at >= 3; --at)
      if (ends(word.slice(0, at)) && ends(word.slice(at)))
        return [stem(word.slice(0, at)), stem(word.slice(at))];
    return [word];
  }

  // What a word counts in a section: a heading more than a text, the word more than its synonyms.
  function weight(heading, text, word) {
    const others = synonyms.get(word) ?? [];
    if (at_word(heading, word) >= 0) return 2;
    if (others.some((other) => at_word(heading, other) >= 0)) return 1;
    if (at_word(text, word) >= 0) return 1;
    return others.some((other) => at_word(text, other) >= 0) ? 0.4 : 0;
  }

  // The sections with any of the words, with how much of what was asked each of them has.
  // A word that few sections have tells more than one that most have.
  function ranked(asked) {
    const all = words.map((row) => [row, asked.map((word) =>
      weight(row[0] + " " + row[2], row[3], word))]);
    const rarity = asked.map((_, at) => Math.log(
      1 + words.length / (1 + all.filter(([, weights]) => weights[at] > 0).length)));
    const sum = (numbers) => numbers.reduce((total, one) => total + one, 0);
    return all.filter(([, weights]) => weights.some(Boolean)).map(([row, weights]) => ({row,
      words: weights.filter(Boolean).length,
      score: sum(weights.map((one, at) => one * rarity[at]))}));
  }

  function excerpt(text, word) {
    const places = [word, ...synonyms.get(word) ?? []].map((one) => at_word(text, one));
    const at = Math.max(0, (places.find((one) => one >= 0) ?? 0) - 50);
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
    const all = asked.length === 0 ? [] : ranked(asked);
    const most = Math.max(0, ...all.map((entry) => entry.words));
    const rows = all.sort((a, b) => b.score - a.score).slice(0, 12);
    found.replaceChildren(...rows.map((entry) => line(entry.row, asked)));
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
    if (block.querySelector(".language-text")) continue;  // what a command prints
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
