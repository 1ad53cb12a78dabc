# SPDX-License-Identifier: LGPL-2.1-or-later
"""Simulates many scenarios by few calls of the simulator, which uses all cores."""

import json
import re
import statistics

from common.programs import InputError
from validation.calibration.verdict import waits
from validation.calibration.verdict.simulator import Simulator
from validation.doctor.scenario.scene import QUESTION, Scene
from validation.doctor.store import Store
from validation.progress import watched

AT_ONCE = 1000 * 1000  # characters of the cases of one call; a scenario's file has at most 1 MiB
# Bytes of NCCL's vectors: in what-ifs, of LL and LL128, and of all others.
LONG, LONG_SMALL, LONGEST = 256 << 20, 32 << 20, 1 << 30
# Bytes of vectors whose steps do not repeat, so that each takes its time to simulate: with late
# ranks, which delay all sizes equally, and beside other jobs.
LATE, BESIDE = 1 << 20, 64 << 20
# Bytes of the vectors of hosts that copy what leaves them, at most COPIES bytes per second.
COPIED, COPIES = 16 << 20, 10e9


def bytes_of(scenario: dict) -> int:
    return int(str(scenario["job"].get("bytes", "0 B")).removesuffix(" B"))


def with_bytes(scenario: dict, size: int) -> dict:
    return {**scenario, "job": {**scenario["job"], "bytes": f"{size} B"}}


def is_late(scenario: dict) -> bool:
    return scenario["job"]["algorithm"] == "nccl" and "skew" in scenario["job"]


def longest(scenario: dict) -> int:
    """Bytes of the longest vector of NCCL that is simulated, beyond which times grow evenly."""
    most = BESIDE if "neighbours" in scenario else LONG
    return LATE if is_late(scenario) else min(most, extrapolated_from(scenario))


def is_copied(scenario: dict) -> bool:
    """True where the CPUs of a host copy what leaves it, as by sockets, and nothing else counts."""
    cluster = scenario.get("cluster")
    return (isinstance(cluster, dict) and (cluster.get("host") or {}).get("gpudirect") is False
            and Scene(cluster, {}, []).host_bandwidth() <= 1.001 * COPIES)


def extrapolated_from(scenario: dict, exact: bool = True) -> int:
    """Bytes of the vector from which the time of a longer one follows, within 1 % unless exact."""
    protocol = scenario["job"].get("options", {}).get("protocol")
    copied = not exact and is_copied(scenario)
    return LONG_SMALL if protocol in ("LL", "LL128") else COPIED if copied else LONGEST


def shortened(scenario: dict) -> dict:
    """One whose vector is no longer than need be to see by what factor something changes it."""
    if scenario["job"]["algorithm"] != "nccl":
        return scenario
    return with_bytes(scenario, min(bytes_of(scenario), longest(scenario)))


def affordable(scenario: dict, exact: bool = True) -> list:
    """One scenario, or two of shorter vectors whose times tell that of a long one."""
    size, most = bytes_of(scenario), extrapolated_from(scenario, exact)
    if scenario["job"]["algorithm"] != "nccl" or size <= most:
        return [scenario]
    return [with_bytes(scenario, part) for part in (most // 2, most)]


def told(scenario: dict, parts: list, found: list) -> dict:
    """The answer of a scenario from those of its affordable parts."""
    if len(found) == 1:
        return found[0]
    half, full = found
    most, size = bytes_of(parts[-1]), bytes_of(scenario)
    more = (full["time_s"] - half["time_s"]) / (most // 2)
    if more <= 0:
        more = full["time_s"] / most
    seconds = full["time_s"] + more * (size - most)
    busbw = full["busbw"] * (size / seconds) / (most / full["time_s"])
    return {**full, "bytes": size, "time_s": seconds, "busbw": busbw}


def in_parts(items: list, length) -> list:
    """The items in lists that one call takes each; `length` of an item: its characters."""
    parts: list = []
    room = 0
    for one in items:
        if (room := room - length(one)) < 0:
            parts.append([])
            room = AT_ONCE - length(one)
        parts[-1].append(one)
    return parts


class WhatIf:
    """Answers are kept: the same scenario is simulated once; with a store, once for all runs."""

    def __init__(self, simulator: Simulator, limit: str = "120 s", store: Store | None = None):
        self.simulator, self.limit, self.store = simulator, limit, store
        self.known: dict = {}

    def call(self, scenarios: list, limited: bool) -> list:
        libraries = [one["library"] for one in scenarios]
        scenarios = [{**one, "library": waits.without_detours(one["library"])}
                     for one in scenarios]
        shared = {key: value for key, value in scenarios[0].items() if key == "library"}
        cases = [{"name": str(i), "set": {key: value for key, value in one.items()
                                          if shared.get(key) != value}}
                 for i, one in enumerate(scenarios)]
        text = json.dumps({"question": QUESTION, **shared, "cases": cases}, ensure_ascii=False)
        words = ["--json", "-", "--fold-from", "2"] + ["--time-limit", self.limit] * limited
        try:
            answer = json.loads(self.simulator.run_text(text, "what-if", *words))["cases"]
        except InputError as error:  # its place is in a file that no user has
            said = str(error).split("\n", maxsplit=1)[0]
            raise type(error)(re.sub(r"^what-if(:\d+)*: ", "", said)) from None
        if len(answer) != len(scenarios):
            raise InputError(f"{self.simulator.program}: expected {len(scenarios)} results, got "
                             f"{len(answer)}")
        factors = list(map(waits.longer, answer, libraries))
        return [{"time_s": statistics.median(one["times_s"]) * longer,
                 "busbw": one["busbw"] / longer, "bytes": one["bytes"], "chosen": one["chosen"],
                 "likely": [end / one["time_s"] for end in one.get("likely", {}).values()]}
                for one, longer in zip(answer, factors)]

    def answers(self, scenarios: list, exact: bool = False) -> list:
        """One answer a scenario; raises what the simulator says. `exact`: without a limit of
        time."""
        parts = [affordable(one, exact) for one in scenarios]
        keys = [[json.dumps(part, sort_keys=True) for part in some] for some in parts]
        asked = [(key, part) for some, names in zip(parts, keys)
                 for part, key in zip(some, names) if key not in self.known]
        self.known |= self.store.read([key for key, _ in asked]) if self.store else {}
        asked = [one for one in dict(asked).items() if one[0] not in self.known]
        for some in in_parts(asked, lambda one: len(one[0])):
            found = self.call([one for _, one in some], not exact)
            new = dict(zip((key for key, _ in some), found))
            self.known |= new
            if self.store:
                self.store.keep(new)
        return [told(one, some, [self.known[key] for key in names])
                for one, some, names in zip(scenarios, parts, keys)]

    def all(self, groups: list, what: str, exact: bool = False) -> list:
        """The answers to each group of scenarios; None where the simulator refuses one of it."""
        parts = in_parts(groups, lambda group: len(json.dumps(group)))
        return [answer for part in watched(parts, what, len(parts))
                for answer in self.together(part, exact)]

    def together(self, groups: list, exact: bool) -> list:
        """As `all`: by one call, or where one of them is refused by one for each."""
        try:
            self.answers([one for group in groups for one in group], exact)
        except InputError:
            if len(groups) == 1:
                return [None]
            return [answer for one in groups for answer in self.together([one], exact)]
        return [self.answers(group, exact) for group in groups]
