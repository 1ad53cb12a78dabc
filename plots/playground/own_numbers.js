// SPDX-License-Identifier: LGPL-2.1-or-later
// The student's own numbers: latency and bandwidth from times by size, and what a run says of them.

const MOST_ROWS = 40;
// Student's t of 90 % intervals by degrees of freedom (Abramowitz and Stegun, table 26.10).
const T_90 = [6.314, 2.920, 2.353, 2.132, 2.015, 1.943, 1.895, 1.860, 1.833, 1.812, 1.796, 1.782,
  1.771, 1.761, 1.753];
const tOf = freedom => T_90[freedom - 1] ?? 1.645 + 1.6 / freedom;

// A row of nccl-tests: size, count, type, operation, root, time
const NCCL_ROW = /^\s*(\d+)\s+\d+\s+[a-z]\w*\s+[a-z]\w*\s+-?\d+\s+([\d.]+)/;

/** A size and a time; without units bytes and microseconds, as OSU's and NCCL's tables. */
function rowOf(line) {
  const words = line.trim().replace(NCCL_ROW, "$1 $2 ");
  const fields = words.match(/[\d.]+(?:e[+-]?\d+)?\s*[A-Za-z\u00b5]*/gi) || [];
  const [size, time] = fields.map(field => /^([\d.e+-]+)\s*(\S*)$/i.exec(field) || []);
  if (!size || !time) return undefined;
  const bytes = size[2] ? valueOf(`${size[1]} ${size[2]}`) : Number(size[1]);
  const seconds = time[2] ? valueOf(`${time[1]} ${time[2].replace("\u00b5", "u")}`)
    : Number(time[1]) * 1e-6;
  return bytes > 0 && seconds > 0 ? {bytes, seconds} : undefined;
}

/** Rows of a text; lines that start with # or have no two numbers are passed over. */
const rowsOf = words => words.split("\n").filter(line => line.trim() && !line.startsWith("#"))
  .map(rowOf).filter(Boolean).slice(0, MOST_ROWS);

/**
 * Latency and time per byte by least squares of relative errors, with 90 % intervals; undefined
 * for fewer than two sizes. `rows`: {bytes, seconds}.
 */
function fitOf(rows) {
  if (new Set(rows.map(one => one.bytes)).size < 2) return undefined;
  let one = 0, size = 0, square = 0, time = 0, product = 0;
  for (const {bytes, seconds} of rows) {
    const weight = 1 / seconds ** 2;
    one += weight;
    size += weight * bytes;
    square += weight * bytes * bytes;
    time += weight * seconds;
    product += weight * bytes * seconds;
  }
  const determinant = one * square - size * size;
  const latency = (time * square - size * product) / determinant;
  const perByte = (one * product - size * time) / determinant;
  const errors = rows.map(({bytes, seconds}) => (latency + perByte * bytes) / seconds - 1);
  const freedom = rows.length - 2;
  const squares = errors.reduce((sum, error) => sum + error * error, 0);
  const spread = freedom > 0 ? squares / freedom : NaN;
  const half = share => freedom > 0 ? tOf(freedom) * Math.sqrt(spread * share / determinant) : NaN;
  return {latency, perByte, errors, latencyHalf: half(square), perByteHalf: half(one)};
}

/** Whether latency and bandwidth explain the times, in a sentence. */
function survives({errors}, rows) {
  const worst = Math.max(...errors.map(Math.abs)), share = `${(worst * 100).toFixed(0)} %`;
  if (rows.length < 3) return "Two points always lie on a line: add a third size to test it.";
  if (worst < 0.05) return `A latency and a bandwidth explain all times within ${share}.`;
  const signs = errors.map(error => Math.sign(error));
  const changes = signs.slice(1).filter((sign, i) => sign !== signs[i]).length;
  return worst < 0.15 && changes > 2
    ? `Errors up to ${share} without a pattern: this looks like noise.`
    : `Errors up to ${share} with a pattern: a line does not explain these times. Look for a ` +
      "second mechanism between the sizes where the error changes its sign (a protocol, a cache, " +
      "pipelining).";
}

class OwnNumbers {
  /** `timesOf(sizes)`: simulated seconds of run A at sizes in bytes. */
  constructor(timesOf) {
    this.timesOf = timesOf;
    this.input = element("textarea", {id: "own-times", rows: 6, cols: 30, spellcheck: "false",
      placeholder: "1 KiB  12.5 us\n64 KiB  60 us\n1048576  870"});
    this.result = element("div", {role: "status"});
    const form = element("form", {}, element("label", {}, element("span", {},
      "Size and time, a pair per line. Without units: bytes and us."), this.input),
    element("button", {type: "submit"}, "Fit, and compare with run A"));
    form.addEventListener("submit", event => {
      event.preventDefault();
      this.show();
    });
    this.node = element("details", {class: "own"},
      element("summary", {}, "Your own measurements"), form, this.result);
  }

  async show() {
    const rows = rowsOf(this.input.value).sort((a, b) => a.bytes - b.bytes), fit = fitOf(rows);
    if (!fit) {
      this.result.textContent = "Give at least two sizes, such as \u201c64 KiB 60 us\u201d.";
      return;
    }
    this.result.replaceChildren(this.summary(fit, rows), this.table(fit, rows, []));
    try {
      const simulated = await this.timesOf(rows.map(one => one.bytes));
      this.result.replaceChildren(this.summary(fit, rows), this.table(fit, rows, simulated));
    } catch (error) {  // as of a run without a size
      this.result.append(element("p", {class: "facts"}, `Run A: ${error.message}`));
    }
  }

  summary(fit, rows) {
    const range = (value, half, words) => Number.isNaN(half) ? ""
      : ` (90 %: ${words(value - half)} to ${words(value + half)})`;
    const latency = seconds => timeText(seconds, Math.abs(fit.latency));
    const rate = perByte => perByte > 0 ? rateText(1 / perByte) : "unlimited";
    return element("p", {}, element("b", {}, `Latency ${latency(fit.latency)}`),
      range(fit.latency, fit.latencyHalf, latency), ", ",
      element("b", {}, `bandwidth ${rate(fit.perByte)}`),
      range(fit.perByte, fit.perByteHalf, rate), ". ", survives(fit, rows));
  }

  table(fit, rows, simulated) {
    const error = (value, seconds) => `${value > seconds ? "+" : "\u2212"}` +
      `${(Math.abs(value / seconds - 1) * 100).toFixed(1)} %`;
    return table("Errors: positive if the model is slower than measured",
      ["size", "measured", "line", "error", "run A", "error"], rows.map(({bytes, seconds}, i) => {
        const line = fit.latency + fit.perByte * bytes, run = simulated[i];
        return element("tr", {}, rowHead(sizeText(bytes)), numberCell(timeText(seconds)),
          numberCell(timeText(line)), numberCell(error(line, seconds)),
          numberCell(run ? timeText(run) : "..."), numberCell(run ? error(run, seconds) : "..."));
      }));
  }
}
