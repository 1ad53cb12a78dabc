// SPDX-License-Identifier: LGPL-2.1-or-later
// The closed form of a lesson: its terms, and numbers that can be dragged.

const COSTS = {"s/B": 1, "us/B": 1e-6, "ns/B": 1e-9, "ps/B": 1e-12};
const TERM_COLOURS = {latency: "wait-latency-line", transfer: "load", overhead: "overhead-line",
  copy: "copy-line", reduction: "ink", wait: "wait-partner-line", compute: "compute-line",
  other: "soft"};
const FUNCTIONS = {log2: Math.log2, ceil: Math.ceil, floor: Math.floor, max: Math.max,
  min: Math.min, sqrt: Math.sqrt};

/** Value of an arithmetic expression: + - * / ( ), numbers, names, FUNCTIONS. */
function calculated(text, names) {
  const tokens = text.match(/[\d.]+(?:e[+-]?\d+)?|\w+|[-+*/(),]/g);
  let at = 0;
  const take = wanted => tokens[at] === wanted && ++at;
  const list = () => {
    const values = [sum()];
    while (take(",")) values.push(sum());
    take(")");
    return values;
  };
  const atom = () => {
    const token = tokens[at++];
    if (token === "(") return list()[0];
    if (token === "-") return -atom();
    if (/^[\d.]/.test(token)) return Number(token);
    return take("(") ? FUNCTIONS[token](...list()) : names[token];
  };
  const product = () => {
    let value = atom();
    for (;;) {
      if (take("*")) value *= atom();
      else if (take("/")) value /= atom();
      else return value;
    }
  };
  const sum = () => {
    let value = product();
    for (;;) {
      if (take("+")) value += product();
      else if (take("-")) value -= product();
      else return value;
    }
  };
  return sum();
}

/** A value of a formula and its unit: 64 MiB, 10 Gbit/s, 8. */
function symbolOf(is) {
  const [, number, unit = ""] = /^([\d.e+-]+)\s*(\S*)$/.exec(String(is));
  const scale = unit ? UNIT_SIZES[unit] || COSTS[unit] : 1;
  return {number: Number(number), unit, scale};
}

class Formula {
  /**
   * `simulated()`: what the run gives now; `changed(key, text)`: a setting is dragged; `run`: what
   * it is called, if there are two.
   */
  constructor(formula, simulated, changed, run = "") {
    Object.assign(this, {formula, simulated, changed, run});
    this.symbols = Object.fromEntries(Object.entries(formula.where).map(([name, one]) =>
      [name, {...one, ...symbolOf(one.is), whole: Number.isInteger(Number(one.is))}]));
    this.terms = element("p", {class: "terms"});
    this.total = element("p", {class: "facts", role: "status"});
    this.curve = element("div", {class: "curve"});
    const numbers = Object.entries(this.symbols).map(([name, one]) => this.slider(name, one));
    this.node = element("div", {class: "formula"},
      element("h2", {}, `By formula${run && `, ${run}`}`),
      element("p", {class: "closed"}, unbroken(formula.text)),
      element("p", {class: "symbols"}, numbers), this.terms, this.total, this.curve);
    this.show();
  }

  /** A number to drag: a factor of two every 40 pixels; with arrow keys as well. */
  slider(name, one) {
    const words = element("span", {class: "number own-keys", role: "slider", tabindex: 0,
      "aria-label": one.what});
    const set = number => {
      one.number = one.whole ? Math.max(1, Math.round(number)) : parseFloat(number.toPrecision(3));
      this.show();
    };
    const done = () => one.key && this.changed(one.key, this.textOf(one));
    words.addEventListener("pointerdown", event => {
      const from = one.number, x = event.clientX;
      words.setPointerCapture(event.pointerId);
      words.onpointermove = ({clientX}) => set(from * 2 ** (Math.round((clientX - x) / 10) / 4));
      words.onpointerup = () => {
        words.onpointermove = words.onpointerup = null;
        done();
      };
    });
    words.addEventListener("keydown", event => {
      const by = {ArrowRight: 2, ArrowUp: 2, ArrowLeft: 0.5, ArrowDown: 0.5}[event.key];
      if (!by) return;
      event.preventDefault();
      set(one.number * by);
      done();
    });
    one.words = words;
    return element("span", {class: "symbol"}, element("b", {}, name), " = ", words,
      element("span", {class: "facts"}, ` ${one.what}`));
  }

  textOf({number, unit}) {
    return unit ? `${number} ${unit}` : String(number);
  }

  /** Values of the terms in the measure's unit, with symbol `other` replaced. */
  values(other = {}) {
    const names = Object.fromEntries(Object.entries(this.symbols).map(([name, one]) =>
      [name, one.number * one.scale]));
    return Object.entries(this.formula.terms).map(([kind, text]) =>
      ({kind, value: calculated(String(text), {...names, ...other})}));
  }

  text(value) {
    const {measure} = this.formula;
    if (measure === "time_s") return timeText(value);
    if (measure.endsWith("bw")) return rateText(value);
    return measure.startsWith("bytes") ? quantity(value, DECIMAL_SIZE_UNITS)
      : String(parseFloat(value.toPrecision(4)));
  }

  /** Takes over the settings of a run. */
  follow(resolved) {
    for (const one of Object.values(this.symbols)) {
      const value = one.key && at(resolved, one.key);
      if (value === undefined || value === "" || Array.isArray(value)) continue;
      if (typeof value === "object" || !/^[\d.e+-]+(\s*\S+)?$/.test(value)) continue;
      const now = symbolOf(value);
      if (now.scale) Object.assign(one, now);
    }
    this.show();
  }

  show() {
    const values = this.values(), total = values.reduce((sum, {value}) => sum + value, 0);
    for (const one of Object.values(this.symbols)) {
      one.words.textContent = this.textOf(one);
      one.words.setAttribute("aria-valuetext", this.textOf(one));
      one.words.setAttribute("aria-valuenow", one.number);
    }
    this.terms.replaceChildren(...values.flatMap(({kind, value}, i) => {
      const term = element("span", {class: "term"}, `${kind} ${this.text(value)}`);
      term.style.borderColor = `var(--${TERM_COLOURS[kind]})`;
      return i ? [value < 0 ? " \u2212 " : " + ", term] : [term];
    }), values.length > 1 ? ` = ${this.text(total)}` : "");
    const simulated = this.simulated();
    const text = simulated === undefined ? "" : this.text(simulated);
    const size = this.formula.measure.startsWith("bytes") && text ? sizeText(simulated) : text;
    this.total.textContent = text && `Simulated${this.run && `, ${this.run}`}: ${text}` +
      `${size === text ? "" : ` (${size})`}.`;
    this.curve.replaceChildren(...drawnCurve(this, simulated));
  }
}
