// SPDX-License-Identifier: LGPL-2.1-or-later
// One case: what it is, and its pictures.

const byId = id => document.getElementById(id);

class CaseView {
  constructor(one, letter = "", before = undefined) {
    this.one = one;
    this.cluster = new ClusterView(one);
    this.matrix = one.chunks.none ? undefined : new MatrixView(one);
    this.source = SourceView.of(one, before?.source);
    this.timeline = new TimelineView(one, resizeTimelines);
    const {report} = one;
    const back = report.collective === "pingpong" ? " there and back" : "";
    const facts = [`placed ${report.placement}`, `${report.algorithm} ${report.collective}`,
      `${sizeText(report.bytes)}${back}`, `on ${report.cluster} with ${report.library}`].join(", ");
    const changed = facts.includes("*") ? " (*: with changed keys)" : "";
    const rates = report.busbw > 0
      ? `algbw ${rateText(report.algbw)}, busbw ${rateText(report.busbw)}` : "";
    this.caption = element("p", {class: "step"});
    this.waits = report.deadlock ? new WaitsView(one) : undefined;
    this.clusterWords = element("span", {});
    this.pathWords = element("span", {});
    this.node = element("section", {class: "case", "aria-label": `Case ${one.name}`},
      element("h2", {}, [...letter && letter !== one.name
        ? [element("span", {class: "letter"}, letter)] : [], one.name,
      element("span", {class: "total"},
        (this.waits ? "deadlock at " : "") + timeText(one.seconds))]),
      element("p", {class: "facts"}, unbroken(facts + changed)),
      element("p", {class: "facts rates"},
        [rates, this.messagesText()].filter(Boolean).join("; ")),
      this.caption,
      this.waits && this.figure("Who waits for whom", "an arrow goes from the one that waits",
        this.waits.node),
      this.figure("Cluster", this.clusterWords, this.cluster.node, "drawing-of-cluster"),
      this.matrix && this.figure("Chunks", this.chunkText(), this.matrix.node),
      this.figure("Timeline", element("span", {}, "a row for each rank; ", this.pathWords,
        element("span", {class: "of-mouse"}, ". Ctrl and wheel zoom, a double click shows all"),
        element("span", {class: "of-touch"}, ". Two fingers zoom, a double tap shows all")),
      this.timeline.node),
      this.source && this.figure("Source", "the lines at which ranks are, in the program that " +
        "each rank runs", this.source.node));
  }

  messagesText() {
    const {messages, bytes_between_hosts: between, bytes_on_wire: all} = this.one.report;
    if (messages === 0) return "no messages";
    return `${messages.toLocaleString("en")} message${messages === 1 ? "" : "s"}, ` +
      (between > 0 ? `${sizeText(between)} between hosts`
        : `${sizeText(all)} in all, none between hosts`);
  }

  figure(title, words, content, kind) {
    return element("figure", {class: kind},
      element("figcaption", {}, element("b", {}, title), " ", words), content);
  }
  /** Known when the cluster is drawn. */
  clusterText() {
    const others = this.one.machine.other_hosts, {about} = this.one;
    return [about === "a cluster" ? "" : about,
      others ? `${plural(others, "host")} without ranks left out` : "",
      this.cluster.words()].filter(Boolean).join("; ");
  }
  chunkText() {
    const {chunks} = this.one;
    return `rows: ranks, columns: ${plural(chunks.count, "chunk")} of ` +
      `${sizeText(chunks.mostBytes)}; contributions summed in each` +
      (chunks.mean ? ", the mean over its elements" : "");
  }

  /** Pixels for the pictures: a layout of the page, if it has changed. */
  room() {
    const style = getComputedStyle(this.node);
    return Math.floor(this.node.clientWidth - parseFloat(style.paddingLeft) -
      parseFloat(style.paddingRight));
  }
  resize(width, whole) {
    this.width = width;
    for (const view of [this.cluster, this.matrix, this.waits]) view?.resize(width);
    this.timeline.resize(width, whole);
    this.clusterWords.replaceChildren(...unbroken(this.clusterText()));
    this.tellPath();
  }
  /** A zoom can make a line of a band. */
  tellPath() {
    this.pathWords.textContent = this.timeline.banded
      ? "the row \u201cpath\u201d is the critical path" : "the line is the critical path";
  }
  draw(seconds, since) {
    const tick = this.one.tick(seconds);
    this.cluster.draw(tick);
    this.matrix?.draw(tick, since < 0 ? -1 : this.one.tick(since));
    this.source?.draw(tick);
    this.timeline.draw(seconds);
    this.caption.textContent = this.progress(tick, seconds);
  }
  progress(tick, seconds) {
    const {one} = this, {chunks} = one, parts = [];
    const step = one.stepEndedBy(tick);
    if (seconds >= one.seconds) {
      parts.push(`${this.waits ? "stuck" : "done"} at ${timeText(one.seconds)}`);
    } else if (step) parts.push(`all have done ${stepText(step, one.stepCounts[step.phase])}`);
    else parts.push(seconds > 0 ? "under way" : "at the start");
    if (!chunks.none) {
      parts.push(`${chunks.complete.toLocaleString("en")} of ` +
        `${chunks.wanted.toLocaleString("en")} chunks complete`);
    }
    return parts.join("; ");
  }
}
