// SPDX-License-Identifier: LGPL-2.1-or-later
// The settings of a run: each a key of its scenario, shown where the scenario has it.

const RATES = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25, 40, 50, 100, 200, 400, 800];  // Gbit/s
const LATENCIES = [0.1, 0.5, 1, 2, 5, 10, 20, 50, 100, 1000];  // us
const SIZES = Array.from({length: 29}, (_, i) => 2 ** i);  // bytes
const NIC_COUNTS = [1, 2, 4, 8];
// Options of algorithms that are counts, with what they are.
const COUNTS = {servers: "Servers", threads: "Threads", rings: "Rings", rounds: "Rounds or tests",
  steps: "Steps"};

/** A labelled row; `show(case)` fills it, and hides it where the scenario has no such thing. */
class Setting {
  constructor(words, control) {
    this.words = element("span", {class: "value"});
    this.control = control;
    this.node = element("label", {class: "setting"},
      element("span", {}, breakable(words), " ", this.words), control);
  }
  /** A value that the program rejects, where it was chosen. */
  mark(refused) {
    markRejected(this.control, refused);
  }
}

function markRejected(control, refused) {
  if (refused) control.setAttribute("aria-invalid", "true");
  else control.removeAttribute("aria-invalid");
  control.title = refused ? `${refused.text}: ${refused.words}` : "";
}

/** Options of a select; these are made anew only if their names differ. */
function offerOptions(control, options, chosen) {
  if ([...control.options].some((one, i) => one.value !== options[i]?.name) ||
      control.options.length !== options.length) {
    control.replaceChildren(...options.map(({name, words, about}) =>
      element("option", {value: name, title: about}, words || name)));
  }
  control.value = chosen;
}

/** One of several names. */
class Choice extends Setting {
  constructor(words, key, names, changed) {
    super(words, element("select"));
    Object.assign(this, {key, names});
    this.control.addEventListener("change", () => changed(key, this.control.value));
  }
  show(one) {
    const value = this.valueOf(one), names = this.names(one);
    this.node.hidden = value === undefined || !names.length;
    if (this.node.hidden) return;
    const known = names.some(({name}) => name === value) ? names : [{name: value}, ...names];
    offerOptions(this.control, known, value);
  }
  values(one) {
    return this.names(one).map(({name}) => name);
  }
  valueOf(one) {
    const value = at(one.resolved, this.key);
    return value && typeof value === "object" ? value.name : value;
  }
}

/** A quantity on a scale of stops, or typed. */
class Scale extends Setting {
  constructor(words, key, stops, changed) {
    super(words, element("input", {type: "range", min: 0, max: stops.length - 1, step: 1}));
    Object.assign(this, {key, stops});
    this.exact = element("input", {type: "text", spellcheck: "false", class: "exact",
      "aria-label": `${words}, typed`});
    this.exact.addEventListener("change", () => changed(key, this.exact.value.trim()));
    this.node.append(this.exact);
    this.control.addEventListener("input", () => {
      this.exact.value = stops[this.control.value];
      changed(key, stops[this.control.value], this.held);
      this.held = true;  // until it is let go: one change
    });
    this.control.addEventListener("change", () => {
      this.held = false;
    });
  }
  show(one) {
    const text = at(one.resolved, this.key), value = valueOf(text);
    this.node.hidden = value === undefined;
    if (this.node.hidden || document.activeElement === this.control && this.held) return;
    const far = stop => Math.abs(Math.log(valueOf(stop) / value));
    const nearest = this.stops.reduce((best, stop, i) =>
      far(stop) < far(this.stops[best]) ? i : best, 0);
    this.control.value = nearest;
    this.exact.value = text;
    this.control.setAttribute("aria-valuetext", text);
  }
  values() {
    return this.stops;
  }
}

/** Any key of the scenario, as text: for lessons about a key that has no control of its own. */
class TextKey extends Setting {
  /** `about`: [key, text] of it and of those below it. */
  constructor(key, changed, about = []) {
    super(key, element("input", {type: "text", spellcheck: "false", autocapitalize: "off",
      placeholder: "default", "aria-label": key}));
    this.key = key;
    if (about.length) {
      this.node.append(element("details", {class: "facts"}, element("summary", {}, "Meaning"),
        about.map(([name, text]) => element("p", {}, name ? [element("code", {}, name), ": "] : [],
          codeIn(text)))));
    }
    this.control.addEventListener("change", () => changed(key,
      this.control.value.trim() || undefined));
  }
  show(one) {
    const value = at(one.resolved, this.key) ?? "";
    if (document.activeElement === this.control) return;
    const isLong = typeof value === "object";
    this.node.classList.toggle("long", isLong);
    this.control.value = isLong ? JSON.stringify(value) : value;
  }
  values() {
    return [];
  }
}

/** A whole number. `range(one)`: the least and the most; undefined where there is no such thing. */
class Count extends Setting {
  constructor(words, key, range, changed) {
    super(words, element("input", {type: "number", step: 1}));
    Object.assign(this, {key, range});
    this.control.addEventListener("change", () => {
      const {min, max, value} = this.control;
      this.control.value = Math.max(min, Math.min(max, Math.round(Number(value) || 1)));
      changed(key, this.control.value);
    });
  }
  show(one) {
    const value = at(one.resolved, this.key), range = this.range(one);
    this.node.hidden = !range || Array.isArray(value);
    if (this.node.hidden) return;
    [this.control.min, this.control.max] = range;
    if (document.activeElement !== this.control) this.control.value = value ?? 1;
  }
  values(one) {
    const [least, most] = this.range(one);
    return Array.from({length: most - least + 1}, (_, i) => String(least + i));
  }
}

/** How many NICs a host has: all alike, and each rank sends by all of them. */
class Nics extends Setting {
  constructor(changed) {
    super("NICs per host", element("select"));
    this.key = "cluster.host";
    this.control.append(...NIC_COUNTS.map(count => element("option", {value: count}, count)));
    this.control.addEventListener("change", () => changed(this.textOf(Number(this.control.value))));
  }
  show(one) {
    const host = one.resolved.cluster.host;
    this.host = host;
    this.node.hidden = !["simple", "numa"].includes(host?.type);
    this.control.value = Array.isArray(host?.nics) ? host.nics.length : 1;
  }
  values() {
    return NIC_COUNTS.map(count => this.textOf(count));
  }
  /** A host's only socket has them all; of several each has its own first. */
  textOf(count) {
    const {host} = this, sockets = host.type === "numa" ? host.sockets || 1 : 1;
    const one = host.nic || host.nics?.[0] || {};
    const nics = Array.from({length: count}, (_, i) => ({...one, domain: i % sockets}));
    const {nic, ...rest} = host;
    return JSON.stringify({...rest, type: "numa", sockets, nics});
  }
}

/** Any key of the scenario, in its own words; what is set stands there, and can be taken back. */
class OtherKeys {
  constructor(name, changed) {
    this.changed = changed;
    this.known = element("datalist", {id: `keys-${name}`});
    this.input = element("input", {type: "text", spellcheck: "false", autocapitalize: "off",
      list: this.known.id});
    this.list = element("span", {class: "keys-set"});
    const form = element("form", {class: "setting"},
      element("label", {}, "Any other key = value ", this.input), this.known, this.list);
    form.addEventListener("submit", event => {
      event.preventDefault();
      const [key, text] = this.typed();
      if (key) changed(key, text);
      else this.explain();
    });
    this.node = form;
  }
  typed() {
    return (/^\s*([\w.]+)\s*[=:]\s*(.+?)\s*$/.exec(this.input.value) || []).slice(1);
  }
  /** Offers the keys of a scenario. */
  offer(tree) {
    const keys = keysOf(tree);
    if (String(keys) === this.offered) return;
    this.offered = String(keys);
    this.known.replaceChildren(...keys.map(text => element("option", {value: text})));
    this.input.placeholder = keys.find(text => text.startsWith("job.bytes")) || keys.at(-1);
  }
  /** What was typed is no key with its value. */
  explain() {
    const text = this.input.value.trim();
    const words = `expected key = value, for example ${this.input.placeholder}`;
    markRejected(this.input, {text, words});
    complain(`${text && `${text}: `}${words}`);
  }
  /** Chips, and what was typed until it is part of the run; red if the program rejects it. */
  show(run) {
    const [typed] = this.typed();
    if (typed in run.set && isGood(run)) this.input.value = "";
    markRejected(this.input, run.refused[typed]);
    const chip = (key, text, words) => {
      const short = text.length > 40 ? `${text.slice(0, 38)} ...` : text;
      const button = element("button", {type: "button", class: words ? "refused" : "quiet",
        title: words || text, "aria-label": `Take back ${key}${words ? ", rejected" : ""}`},
      `${key}=${short} \u00d7`);
      button.addEventListener("click", () => {
        if (key === typed) this.input.value = "";
        this.changed(key, words ? null : undefined);
      });
      return button;
    };
    this.list.replaceChildren(...Object.entries(run.set).map(([key, text]) => chip(key, text)),
      ...Object.entries(run.refused).map(([key, {text, words}]) => chip(key, text, words)));
  }
}

/**
 * All settings of one run. `changed(index, key, text, held)`; a key "case" chooses the case;
 * `held`: the change goes on, as while a slider is dragged.
 */
class RunSettings {
  constructor(index, lists, changed) {
    const name = "AB"[index];
    const set = this.set = (key, text, held) => changed(index, key, text, held);
    const mostServers = one => {  // training without servers reads the option, too
      const exchange = at(one.resolved, "job.options.exchange") ?? "parameter_server";
      return exchange === "parameter_server" ? Math.max(1, one.places.length - 1) : 1;
    };
    const hostsNamed = ({resolved: {placement}, places}) => {  // "8-0": two, and ranks on one
      const counts = /^[\d-]+$/.exec(placement?.hosts ?? placement)?.[0].split("-") || [];
      return Math.max(counts.length, 1 + Math.max(...places.map(place => place.host)));
    };
    // NVLS, and options of a program's collectives, belong to the library of the run.
    const bound = ({options, program}) => options?.algorithm?.startsWith("nvls") ||
      JSON.stringify(program || []).includes("\"options\"");
    // Ranks on GPUs need a library for GPUs; a program takes the place of an algorithm.
    const libraries = one => bound(one.resolved.job) ? [] : lists.libraries.filter(({gpus}) =>
      gpus !== false || one.places.every(place => place.gpu < 0));
    // An LLM is described by options that no other training has.
    const fits = (one, {name, least_ranks: least, one_host: together}) => name !== "llm" &&
      least <= one.places.length && !(together && one.places.some(({host}) =>
        host !== one.places[0].host));
    const algorithms = one => lists.algorithms.filter(algorithm => fits(one, algorithm) &&
      !at(one.resolved, "job.program") &&
      algorithm.collective === at(one.resolved, "job.collective"));
    const reads = option => one => lists.algorithms.some(({collective, name, options}) =>
      collective === at(one.resolved, "job.collective") &&
      name === at(one.resolved, "job.algorithm") && options.includes(option));
    const progress = [{name: "caller"}, {name: "thread"},
      {name: "nic", words: "nic (moves the bytes, too)"}];
    this.case = new Setting("Case", element("select"));
    this.case.key = "case";
    this.case.control.addEventListener("change", () => set("case", this.case.control.value));
    this.places = new PlacesView(name, places => set("placement",
      placementText(places, this.one.hosts, this.domains())));
    this.others = new OtherKeys(name, set);
    this.settings = [
      new Choice("Algorithm", "job.algorithm", algorithms, set),
      new Scale("Size", "job.bytes", SIZES.map(sizeWords), set),
      new Choice("Library", "library", libraries, set),
      new Choice("Who makes progress", "library.progress", () => progress, set),
      new Scale("Link bandwidth", "cluster.link.bandwidth", RATES.map(rate => rate < 1
        ? `${rate * 1000} Mbit/s` : `${rate} Gbit/s`), set),
      new Scale("Link latency", "cluster.link.latency", LATENCIES.map(us => `${us} us`), set),
      new Count("Hosts", "cluster.hosts", one => at(one.resolved, "cluster.network") === "star" &&
        [hostsNamed(one), 256], set),
      new Nics(text => set("nics", text)),
      ...Object.entries(COUNTS).map(([option, label]) =>
        new Count(label, `job.options.${option}`, one => reads(option)(one) &&
          [1, option === "servers" ? mostServers(one) : 64], set))];
    this.first = element("div", {class: "grid"});
    this.rest = element("div", {class: "grid"});
    this.placing = element("div", {}, element("h3", {}, "Ranks on hosts"), this.places.node);
    this.more = element("details", {}, element("summary", {}, "More settings"), this.rest,
      this.others.node);
    this.node = element("fieldset", {class: "run"}, element("legend", {}, `Run ${name}`),
      this.first, this.more);
  }

  /** The settings that a lesson is about stay visible; the others are below "More settings". */
  arrange(keys, about) {
    if (this.arranged === String(keys)) return;
    this.arranged = String(keys);
    for (const one of this.settings) if (one instanceof TextKey) one.node.remove();
    this.settings = this.settings.filter(one => !(one instanceof TextKey));
    const known = ["case", ...this.settings.map(one => one.key)];  // places can be typed as well
    this.settings.push(...keys.filter(key => !known.includes(key))
      .map(key => new TextKey(key, this.set, about[key])));
    for (const one of [this.case, ...this.settings]) {
      (keys.includes(one.key) ? this.first : this.rest).append(one.node);
    }
    this.more.before(...keys.includes("placement") ? [this.placing] : []);
    if (!keys.includes("placement")) this.rest.after(this.placing);
  }

  domains() {
    const host = at(this.one.resolved, "cluster.host");
    return host.type === "simple" ? 1 : host.sockets || host.domains?.length || 2;
  }

  show(one, run, cases, {settings: keys = [], about = {}}) {
    this.one = one;
    this.arrange(keys, about);
    this.case.node.hidden = cases.length < 2;
    offerOptions(this.case.control, cases.map(name => ({name})), run.case || cases[0]);
    for (const setting of this.settings) setting.show(one);
    this.places.show(one.hosts, one.places);
    this.others.offer(one.resolved);
    this.showKeys(run);
  }

  /** What the state holds, known before an answer. */
  showKeys(run) {
    this.case.mark(run.refused.case);
    for (const setting of this.settings) setting.mark(run.refused[setting.key]);
    markRejected(this.places.list, run.refused.placement);
    this.others.show(run);
  }
}
