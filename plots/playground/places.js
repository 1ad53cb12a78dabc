// SPDX-License-Identifier: LGPL-2.1-or-later
// Who is where: hosts with their ranks, which are dragged, or moved by keys, from one to another.

const MOST_CHIPS = 12;  // of a host, drawn one by one

/** Ranks per host as the language of scenarios has it: "4-3-1". */
function countsText(counts) {
  const last = counts.reduce((most, count, i) => count ? i : most, 0);
  return counts.slice(0, last + 1).join("-");
}

/**
 * The placement of ranks on `hosts`, where `places` say where each is: as counts where ranks are
 * numbered host by host, else one by one, each on the next core of its host.
 */
function placementText(places, hosts, domains) {
  const onGpus = places.length > 0 && places.every(place => place.gpu >= 0);
  const inOrder = places.every((place, i) => i === 0 || places[i - 1].host <= place.host);
  if (inOrder && (onGpus || places.every(place => place.gpu < 0))) {
    const counts = hosts.map((_, host) => places.filter(place => place.host === host).length);
    return onGpus ? `{hosts: ${countsText(counts)}, on: gpu}` : countsText(counts);
  }
  const taken = hosts.map(() => ({cores: 0, gpus: 0}));
  const entries = places.map(({host, gpu}) => {
    if (gpu >= 0) return `{host: ${host}, gpu: ${taken[host].gpus++ % hosts[host].gpus}}`;
    const core = taken[host].cores++ % hosts[host].cores;
    const each = Math.max(1, Math.floor(hosts[host].cores / domains));
    return `{host: ${host}, numa: ${Math.floor(core / each)}, core: ${core % each}}`;
  });
  return `[${entries.join(", ")}]`;
}

class PlacesView {
  /** `changed(places)`: the new places of all ranks. */
  constructor(name, changed) {
    this.name = name;
    this.changed = changed;
    this.list = element("ol", {class: "hosts", "aria-label": `Hosts of run ${name}`});
    this.note = element("p", {class: "hidden", role: "status"});
    this.renumber = element("button", {type: "button", class: "quiet"},
      "Number ranks host by host");
    this.renumber.addEventListener("click", () =>
      this.changed([...this.places].sort((a, b) => a.host - b.host)));
    this.node = element("div", {class: "places"}, this.list, this.renumber, this.note);
    this.list.addEventListener("keydown", event => this.key(event));
    this.list.addEventListener("pointerdown", event => this.grab(event));
  }

  show(hosts, places) {
    const focused = document.activeElement?.dataset?.chip, had = this.list.contains(
      document.activeElement);
    const known = JSON.stringify([hosts, places]);
    if (known === this.known) return;
    this.known = known;
    this.hosts = hosts;
    this.places = places;
    this.ranks = hosts.map(() => []);
    places.forEach((place, rank) => this.ranks[place.host].push(rank));
    this.renumber.hidden = places.every((place, i) => i === 0 || places[i - 1].host <= place.host);
    this.list.replaceChildren(...hosts.map((host, i) => this.host(host, i)));
    if (had && focused !== undefined) this.list.querySelector(`[data-chip="${focused}"]`)?.focus();
  }

  ranksOn(host) {
    return this.ranks[host];
  }

  host({name, cores, gpus}, index) {
    const ranks = this.ranksOn(index), folded = ranks.length > MOST_CHIPS;
    const room = `${plural(cores, "core")}${gpus ? `, ${plural(gpus, "GPU")}` : ""}`;
    const onGpus = this.places[0].gpu >= 0;
    const change = (word, by) => {
      const full = by > 0 && ranks.length >= (onGpus ? gpus : cores);
      const button = element("button", {type: "button", class: "quiet", "data-chip":
        `${by}${index}`, "aria-label": `${word} a rank on ${name}`,
        title: full ? `Each ${onGpus ? "GPU" : "core"} of ${name} has a rank` : "",
        disabled: full || by < 0 && (!ranks.length || this.places.length === 1)},
      by < 0 ? "\u2212" : "+");
      button.addEventListener("click", () => this.count(index, by));
      return button;
    };
    return element("li", {"data-host": index},
      element("div", {class: "host-name"}, element("b", {}, name), element("span", {}, room),
        change("Remove", -1), change("Add", 1)),
      element("div", {class: "chips"}, folded
        ? this.chip(ranks.at(-1), `${ranks.length} ranks`)
        : ranks.map(rank => this.chip(rank, rank))));
  }

  chip(rank, words) {
    const {host} = this.places[rank];
    return element("button", {type: "button", class: "chip own-keys", "data-rank": rank,
      "data-chip": rank,
      "aria-label": `Rank ${rank} on ${this.hosts[host].name}; arrow keys move it`}, words);
  }

  count(host, by) {
    const places = [...this.places];
    if (by > 0) {
      const last = this.ranksOn(host).at(-1) ?? places.findLastIndex(place => place.host < host);
      places.splice(last + 1, 0, {host, gpu: places[0].gpu >= 0 ? 0 : -1});
    } else {
      places.splice(this.ranksOn(host).at(-1), 1);
    }
    this.changed(places);
  }

  move(rank, host) {
    if (host < 0 || host >= this.hosts.length || host === this.places[rank].host) return;
    this.note.textContent = `Rank ${rank} is on ${this.hosts[host].name} now`;
    this.changed(this.places.map((place, i) => i === rank ? {...place, host} : place));
  }

  key(event) {
    const by = {ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1}[event.key];
    const rank = event.target.dataset.rank;
    if (!by || rank === undefined) return;
    event.preventDefault();
    this.move(Number(rank), this.places[rank].host + by);
  }

  /** By mouse, pen or finger; the chip follows until it is let go. */
  grab(event) {
    const chip = event.target.closest(".chip");
    if (!chip || event.button) return;
    event.preventDefault();
    chip.focus();
    chip.setPointerCapture(event.pointerId);
    const from = [event.clientX, event.clientY];
    let over;
    const under = at => document.elementsFromPoint(at.clientX, at.clientY)
      .map(one => one.closest?.("[data-host]")).find(one => one && this.list.contains(one));
    const follow = at => {
      chip.style.transform = `translate(${at.clientX - from[0]}px, ${at.clientY - from[1]}px)`;
      over?.classList.remove("over");
      over = under(at);
      over?.classList.add("over");
    };
    const end = at => {
      chip.removeEventListener("pointermove", follow);
      chip.removeEventListener("pointerup", end);
      chip.removeEventListener("pointercancel", end);
      chip.style.transform = "";
      over?.classList.remove("over");
      const host = at.type === "pointerup" ? under(at) : undefined;
      if (host) this.move(Number(chip.dataset.rank), Number(host.dataset.host));
    };
    chip.addEventListener("pointermove", follow);
    chip.addEventListener("pointerup", end);
    chip.addEventListener("pointercancel", end);
  }
}
