// SPDX-License-Identifier: LGPL-2.1-or-later
// What doubling one resource would gain, a run at a time.

const MOST_GAINS = 5;
const LEAST_GAIN = 0.002;  // of the time: less is no row
const STILL_MS = 200;  // without a change: else a slider that is dragged would wait for gains

/** After the pictures, a run at a time: a change does not wait for all. */
async function showGains(turn) {
  const parts = [];
  await new Promise(done => setTimeout(done, STILL_MS));
  if (turn !== gainsFor || running) return;
  for (const [i, run] of requestsOf(state).entries()) {
    if (shown[i]?.report.deadlock) continue;
    const gains = [];
    for (let nth = 0; nth < MOST_GAINS; ++nth) {
      try {
        gains.push(...(await engine.ask({ask: "gains", run, top: MOST_GAINS, nth})).gains);
      } catch (error) {
        if (turn === gainsFor) byId("gains").replaceChildren(error.message);
        return;
      }
      if (turn !== gainsFor || running) return;
    }
    parts.push(gainsTable(shown[i], gains.sort((a, b) => a.time_s - b.time_s)));
  }
  byId("gains").replaceChildren(parts.length ? element("div", {class: "pair"}, parts)
    : element("p", {class: "facts"}, "A run that deadlocks has no gains."));
  await sweep?.show(() => turn !== gainsFor || running);
}

/** Latency and overhead are halved; of all else there is twice as much. */
const improvedText = ({kind, what}) =>
  `${kind === "resource" ? "twice" : "half the"} ${what}`;

/** What changes the time by less than LEAST_GAIN is no row. */
function gainsTable(one, gains) {
  const time = seconds => timeText(seconds, one.seconds), before = time(one.seconds);
  const changes = gain => Math.abs(gain.time_s - one.seconds) >= LEAST_GAIN * one.seconds;
  const useful = gains.filter(gain => changes(gain) && gain.time_s < one.seconds);
  const rows = useful.map(gain => element("tr", {}, rowHead(improvedText(gain)),
    numberCell(time(gain.time_s)),
    numberCell(signedTime(gain.time_s - one.seconds, one.seconds))));
  const others = gains.filter(gain => !changes(gain)).map(improvedText).join(", ");
  const slower = gains.filter(gain => changes(gain) && gain.time_s > one.seconds);
  const losses = slower.map(gain =>
    `${improvedText(gain)} (${signedTime(gain.time_s - one.seconds, one.seconds)})`).join(", ");
  return element("div", {}, rows.length ? table(`${one.name}: ${before}`,
    ["with", "time", "difference"], rows)
    : element("p", {}, `${one.name}: no one change alone gains: another part is as slow, or ` +
      "works at the same time."),
  others && element("p", {class: "facts"}, "Less than 0.2 % from ", unbroken(others), " alone."),
  losses && element("p", {class: "facts"}, "Slower with ", unbroken(losses), "."));
}
