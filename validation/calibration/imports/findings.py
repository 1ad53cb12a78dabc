# SPDX-License-Identifier: LGPL-2.1-or-later
"""Findings of importers: points that become measurements, where ranks stood, and the documents."""

import dataclasses
import itertools
import statistics
from typing import NamedTuple, Optional

from common.groups import grouped
from common.programs import InputError
from validation import measurements
from validation.calibration.imports import collectives
from validation.measurements import Document, Measurement

APART = 1.5  # factor between the times of two tables that are not repetitions


class Given(NamedTuple):
    """Facts about a measurement from the command line that its output does not say."""
    nodes: Optional[int] = None
    ranks_per_node: Optional[int] = None
    collective: str = ""
    placement: str = ""
    where: dict = {}
    ranks: Optional[int] = None


@dataclasses.dataclass
class Findings:
    where: dict = dataclasses.field(default_factory=dict)
    points: list = dataclasses.field(default_factory=list)  # (kind, Measurement, table)
    notes: list = dataclasses.field(default_factory=list)
    table: str = ""  # "file:line" of the points that come next; "": all are of one
    hosts: dict = dataclasses.field(default_factory=dict)  # table: names of the hosts of its ranks
    of_blocks: bool = False  # sizes are a rank's block, as benchmarks of MPI print them

    def begin(self, table: str, hosts: list):
        self.table = table
        self.hosts[table] = hosts

    def note(self, text: str):
        if text not in self.notes:
            self.notes.append(text)

    def add(self, kind: str, what: str, seconds: float, parameters: dict, extra=None,
            scenario=None):
        """`extra`: other statistics that were published, as further keys of the entry. `scenario`:
        what the output says of its job beyond the parameters."""
        measured = Measurement(what, parameters, seconds, scenario=scenario, extra=extra or {})
        self.points.append((kind, measured, self.table))

    def add_collective(self, what: str, size, layout, seconds: float, extra=None, **more):
        what = collectives.named(what) or what
        if size and self.of_blocks and what in collectives.OF_BLOCKS:
            size *= layout.ranks
            self.note(f"{what}: bytes are the whole buffer, the block of a rank times the ranks")
        parameters = {} if size is None else {"bytes": size}
        parameters |= {"collective": what, "algorithm": "", "ranks_count": layout.ranks,
                       "hosts_count": layout.hosts, "placement": layout.placement} | more
        self.add("replay", what, seconds, parameters, extra)

    def add_nonblocking(self, what: str, size, layout, seconds: float, compute: float = 0):
        """A collective that is posted before a computation of `compute`, which begins at once."""
        self.add_collective(what, size, layout, seconds, compute_s=compute)
        self.points[-1][1].scenario = {"job": {"overlap": f"{compute:.12g} s"}}

    def add_overlapped(self, what: str, size, layout, overall: float, compute: float, pure: float):
        """Two cases of a non-blocking collective: `pure` alone, and `overall` with `compute`."""
        self.add_nonblocking(what, size, layout, pure)
        self.add_nonblocking(what, size, layout, overall, compute)

    def add_copy(self, seconds: float, size: int, ends: tuple, by: str):
        """From the first to the second of `ends`: GPUs, of which one may be None, the host."""
        gpu = ends[0] if ends[1] is None else ends[1]
        what, more = ("gpu_peer_copy", {"from": ends[0], "to": ends[1], "access": "peer",
                                        "directions": 1}) if None not in ends else (
            "gpu_copy", {"gpu": gpu, "direction": "h2d" if ends[0] is None else "d2h",
                         "memory": "pinned", "streams": 1})
        self.add("probes", what, seconds, {"bytes": size, **more, "by": by})


class Layout(NamedTuple):
    """Hosts that were filled one after the other, `per_host` ranks each, the last one the rest."""
    ranks: int
    per_host: int

    @property
    def hosts(self) -> int:
        return -(-self.ranks // self.per_host)

    @property
    def placement(self) -> str:
        full, rest = divmod(self.ranks, self.per_host)
        times = f"x{full}" if full > 1 else ""
        counts = [f"{self.per_host}{times}"] * bool(full) + [str(rest)] * bool(rest)
        return "-".join(counts)

    def way(self, pairs: int) -> str:
        """The way by which ranks i and i + pairs reach each other."""
        return "network" if pairs >= self.per_host else "shm"

    def ping_pong(self, pairs: int) -> tuple:
        """(probe, its parameters) of a ping-pong of all ranks i and i + pairs."""
        way, shared = {"way": self.way(pairs)}, self.pairs_of_two_hosts(pairs)
        return ("ping_pong", way) if shared == 1 else ("ping_pong_pairs", way | {"pairs": shared})

    def pairs_of_two_hosts(self, pairs: int) -> int:
        """Number of the pairs i, i + pairs that lie between the same two hosts."""
        return min(self.per_host, pairs)


def counts_text(counts: list) -> str:
    """"4-3-1"; many hosts alike as "1x4"."""
    return f"{counts[0]}x{len(counts)}" if len(set(counts)) == 1 < len(counts) else \
        "-".join(map(str, counts))


def name_of(measurement: Measurement) -> str:
    """A name for a case that nobody has named: all that tells it from the others."""
    given = dict(measurement.parameters)
    words = [given.pop("collective"), given.pop("algorithm")]
    words.append(f"{given.pop('bytes')} B" if "bytes" in given else "")
    words.append(f"on {given.pop('placement')}")
    words += [f"{key} {value}" for key, value in given.items()
              if key not in ("ranks_count", "hosts_count")]
    return " ".join(word for word in words if word)


def keep_apart(all_findings: list):
    """Tables that measured the same cases on other hosts, or in another state (before and after a
    change), are no samples of one case: replays get the number of their table, and a note; of
    probes, which make one machine, the second table is refused."""
    tables: dict = {}
    hosts = {table: names for one in all_findings for table, names in one.hosts.items()}
    for one in all_findings:
        for kind, point, table in one.points:
            if table:
                tables.setdefault((kind, table), {}).setdefault(
                    measurements.case_key(point), []).append((point, one))
    numbers: dict = {}
    for (kind, table), cases in tables.items():
        for (first_kind, first), others in list(tables.items()):
            if first == table:
                break
            if first_kind != kind or (kind, first) in numbers:
                continue
            factor, names = apart_by(others, cases), (hosts.get(first), hosts.get(table))
            elsewhere = all(names) and names[0] != names[1] and not others.keys().isdisjoint(cases)
            if elsewhere or not 1 / APART < factor < APART:
                mark(kind, first, table, factor, cases, numbers)
                break


def apart_by(first: dict, second: dict) -> float:
    """Median of the ratios of the times of equal cases; 1 without any."""
    ratios = [second[key][-1][0].median_s / first[key][-1][0].median_s
              for key in second if key in first and first[key][-1][0].median_s > 0]
    return statistics.median(ratios) if ratios else 1.0


def mark(kind: str, first: str, table: str, factor: float, cases: dict, numbers: dict):
    times = f"{factor:.2g} x the time of the table at {first}"
    if kind == "probes":
        raise InputError(f"{table}: expected tables of one state of the machine, got {times}: "
                         "keep one of the two in the file")
    numbers[kind, table] = len(numbers) + 2
    for point, findings in itertools.chain(*cases.values()):
        point.parameters["table"] = numbers[kind, table]
        findings.note(f"{table}: {times} for the same cases: kept apart as table "
                      f"{numbers[kind, table]}")


def merged(points: list) -> list:
    """One measurement per case, in the order in which they came; what was measured several times
    has every value as a sample."""
    result = []
    for several in grouped(points, measurements.case_key).values():
        if len(several) > 1:
            for point in several:
                point.samples_s, point.extra = [point.median_s], {}
        result.append(measurements.merge_samples(several))
    return result


def where_of(all_findings: list, given: Given) -> dict:
    """Statements of the files, each text once, under those of the command line."""
    where = {}
    for findings in all_findings:
        for key, value in findings.where.items():
            if isinstance(value, str) and value not in where.setdefault(key, "").split("; "):
                where[key] = f"{where[key]}; {value}".removeprefix("; ")
            elif not isinstance(value, str):
                where[key] = where.get(key) or value
    return where | {key: value for key, value in given.where.items() if value}


def documents_of(all_findings: list, given: Given) -> list:
    """One document per kind that was found."""
    where = where_of(all_findings, given)
    keep_apart(all_findings)
    documents = []
    for kind in measurements.KINDS:
        points = [point for findings in all_findings for found, point, _ in findings.points
                  if found == kind]
        if not points:
            continue
        if kind != "trace":  # a trace has the same verb in every step
            points = merged(points)
        for point in points:
            point.name = name_of(point) if kind == "replay" else ""
        documents.append(Document("-", kind, dict(where), points))
    return documents
