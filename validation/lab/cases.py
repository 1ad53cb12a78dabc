# SPDX-License-Identifier: LGPL-2.1-or-later
"""The cases of a campaign: every combination of what the groups of its file list."""

import itertools
import pathlib
import re
from typing import NamedTuple

import yaml

from common.quantities import parse_quantity
from validation.lab import hosts, launch
from validation.yaml_files import read_yaml, tables_of

TOP, LISTS, SINGLES = tables_of(__file__).values()
CLUSTER_LATENCY = "25 us"  # of one cable: about what an empty message of napping ranks takes for it
CALLS = {"MPI_Allreduce": "open_mpi_tuned"}  # the simulator's stand-in for MPI's own choice
COSTS = re.compile(r"(.+?)(?:\s+\+\s+(.+))?")


class Case(NamedTuple):
    """A job on a placement at a rate, ready to be launched. `arguments` are for ringscope-mpi,
    `parameters` for the measurement: a labelled case is another than the same without a label."""
    name: str
    rate: str
    launch: launch.Launch
    scenario: str
    arguments: list
    parameters: dict


class Plan(NamedTuple):
    """Content of a campaign's file. Launches with more than `foreign_cores` are repeated, up to
    `again` times each, and the quieter one is kept."""
    cases: list
    launches: int
    foreign_cores: float
    again: int


def fail(place: str, expected: str, got):
    raise hosts.LabError(f"{place}: expected {expected}, got {got!r}")


def filled(fields, known: dict, place: str) -> dict:
    """`fields` with the defaults of what is not there. Raises LabError for unknown keys."""
    if not isinstance(fields, dict):
        fail(place, "a map", fields)
    for key in fields:
        if key not in known:
            raise hosts.LabError(f"{place}: unknown key '{key}' (known: {', '.join(known)})")
    full = known | {key: value for key, value in fields.items() if value is not None}
    for key, value in full.items():
        if value is None:
            raise hosts.LabError(f"{place}: the key '{key}' is missing")
        for kind, expected in ((str, "a text"), (dict, "a map")):
            if isinstance(known[key], kind) and not isinstance(value, kind):
                fail(f"{place}.{key}", expected, value)
    return full


def texts(group: dict, key: str, place: str) -> list:
    """YAML reads 8 as a number: a placement on one host is a text all the same."""
    values = group[key]
    if not isinstance(values, list) or not values:
        fail(f"{place}.{key}", "a list", values)
    for value in values:
        if not isinstance(value, (str, int)) or isinstance(value, bool):
            fail(f"{place}.{key}", "texts", value)
    return [str(value) for value in values]


def number(fields: dict, key: str, least: float, kind) -> float:
    value = fields[key]
    if isinstance(value, bool) or not isinstance(value, kind) or not least <= value <= 1e6:
        fail(key, f"a number from {least}", value)
    return value


def costs_of(text: str, place: str) -> tuple:
    """(send, receive) in s/B: "none", "8 ns/B" each, or "4 ns/B + 12 ns/B"."""
    if text == "none":
        return 0.0, 0.0
    send, receive = COSTS.fullmatch(text).groups()
    return parse_quantity(send, "cost", place), parse_quantity(receive or send, "cost", place)


def slug(*words) -> str:
    """A file's name: "ring-4-3-1-500Mbit-1MiB-8nsB"."""
    return "-".join(re.sub(r"[^A-Za-z0-9_.]+", "-", word.replace(" ", "").replace("/s", "")
                           .replace("/B", "B")).strip("-") for word in words if word)


def scenario_of(name: str, group: dict, one: tuple) -> str:
    """The simulator's question for the case. The cluster is nominal: the fit knows better."""
    rate, placement, algorithm, size, _ = one
    return yaml.safe_dump({
        "question": f"What does {name} take?",
        "cluster": {"base": "rack3", "hosts": max(2, len(launch.parse_placement(placement))),
                    "link": {"bandwidth": rate, "latency": CLUSTER_LATENCY}},
        "library": "openmpi_tcp",
        "placement": placement,
        "job": {"collective": group["collective"], "algorithm": CALLS.get(algorithm, algorithm),
                "bytes": size},
    }, sort_keys=False)


def case_of(one: tuple, group: dict, top: dict, place: str, build: pathlib.Path) -> Case:
    rate, placement, algorithm, size, cost = one
    send_cost, recv_cost = costs_of(cost, f"{place}.costs")
    parse_quantity(rate, "bandwidth", f"{place}.rates")
    parse_quantity(size, "bytes", f"{place}.sizes")
    if group["mpi"] not in launch.LAUNCHERS:
        fail(f"{place}.mpi", " or ".join(launch.LAUNCHERS), group["mpi"])
    name = slug(algorithm, placement, rate if rate != "unlimited" else "unshaped", size,
                cost if cost != "none" else "", group["label"])
    started = launch.Launch(
        launch.parse_placement(placement), group["mpi"], send_cost, recv_cost,
        parse_quantity(group["nap"], "time", f"{place}.nap"),
        int(parse_quantity(group["socket_buffer"], "bytes", f"{place}.socket_buffer")),
        group["mca"], parse_quantity(top["timeout"], "time", "timeout"), build,
        launch.parse_order(placement))
    most = max(top["repetitions"], top["max_repetitions"])
    arguments = ["--repetitions", str(top["repetitions"]), "--max-repetitions", str(most),
                 "--warmups", str(top["warmups"]), *map(str, group["arguments"])]
    if algorithm in CALLS:
        arguments += ["--call", algorithm]
    return Case(name, rate, started, scenario_of(name, group, one), arguments,
                {"label": group["label"]} if group["label"] else {})


def cases_of(groups, top: dict, build: pathlib.Path):
    if not isinstance(groups, list) or not groups:
        fail("groups", "a list", groups)
    for index, fields in enumerate(groups):
        place = f"groups[{index}]"
        group = filled(fields, LISTS | SINGLES, place)
        if not isinstance(group["arguments"], list):
            fail(f"{place}.arguments", "a list", group["arguments"])
        for one in itertools.product(*(texts(group, key, place) for key in LISTS)):
            yield case_of(one, group, top, place, build)


def read(path: str, build: pathlib.Path) -> Plan:
    """Raises InputError that names the file and the key."""
    fields = read_yaml(path)
    try:
        top = filled(fields, TOP, "the campaign")
        for key in ("launches", "repetitions", "max_repetitions", "warmups", "again"):
            number(top, key, 1 if key in ("launches", "repetitions") else 0, int)
        number(top, "foreign_cores", 0, (int, float))
        found = list(cases_of(top["groups"], top, build))
        names = [case.name for case in found]
        for name in names:
            if names.count(name) > 1:
                raise hosts.LabError(f"two cases are called {name}: give one group a label")
    except hosts.InputError as error:
        raise hosts.LabError(f"{path}: {error}") from None
    return Plan(found, top["launches"], top["foreign_cores"], top["again"])
