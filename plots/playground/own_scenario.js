// SPDX-License-Identifier: LGPL-2.1-or-later
// A scenario of one's own: typed, pasted, or dropped onto the page as a file.

const LOG_MARKS = /busbw|# OSU |#bytes|NCCL INFO|nccl-tests|Intel\(R\) MPI Benchmarks/;

/** Why a text is no scenario, or "". A log is for another command, which is named. */
function noScenario(words) {
  if (/^cluster:/m.test(words) && /^job:/m.test(words)) return "";
  if (LOG_MARKS.test(words)) {
    return "This is a log of a benchmark. On the command line, `ringscope doctor LOG` diagnoses " +
      "it and `ringscope calibrate LOG` fits a model to it. To fit a latency and a bandwidth " +
      "here, paste sizes and times under \u201cYour own measurements\u201d.";
  }
  return "expected a scenario in YAML with the keys question, cluster, library, placement and job";
}

/** `opened(text)` is called with the text of a scenario. */
class OwnScenario {
  constructor(opened) {
    this.opened = opened;
    this.input = element("textarea", {rows: 12, spellcheck: "false",
      "aria-label": "Scenario in YAML"});
    const file = element("input", {type: "file", accept: ".yaml,.yml,.txt"});
    file.addEventListener("change", () => file.files[0] && this.read(file.files[0]));
    this.said = element("p", {role: "alert", class: "facts"});
    const form = element("form", {}, element("label", {}, "Open a file ", file), this.input,
      element("button", {type: "submit"}, "Simulate this scenario"), this.said);
    form.addEventListener("submit", event => {
      event.preventDefault();
      this.open(this.input.value);
    });
    this.node = element("details", {class: "own"},
      element("summary", {}, "Your own scenario or algorithm"), form);
    addEventListener("dragover", event => event.preventDefault());
    addEventListener("drop", event => {
      const [dropped] = event.dataTransfer?.files || [];
      if (!dropped) return;
      event.preventDefault();
      this.node.open = true;
      this.read(dropped);
    });
  }

  /** The scenario that is shown, to change it. */
  offer(text) {
    this.input.value = text;
    this.said.textContent = "";
  }

  async read(file) {
    this.open(await file.text());
  }

  open(words) {
    this.input.value = words;
    this.said.replaceChildren(...codeIn(noScenario(words)));
    if (!this.said.textContent) this.opened(words.endsWith("\n") ? words : `${words}\n`);
  }
}
