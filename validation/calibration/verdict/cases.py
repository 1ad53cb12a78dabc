# SPDX-License-Identifier: LGPL-2.1-or-later
"""Measurements, one Case per case: the launches of one case are pooled, bad ones refused."""

import json
from dataclasses import dataclass, field
from typing import NamedTuple, Optional

from common.groups import grouped
from common.programs import InputError
from common.quantities import format_bytes
from validation.calibration.imports import collectives
from validation.calibration.verdict import accuracy, placements
from validation.measurements import Measurement, case_key, is_among, merge_samples


class Series(NamedTuple):
    """Properties shared by the cases of one table: the machine, as far as its document tells."""

    link: str
    emulated: str
    mpi: str
    cpu: str
    source: str


@dataclass
class Case:
    """One measured case, and what became of it. `predicted_s` is set by the simulation."""

    measured: Measurement
    series: Series
    placement: placements.Placement
    launches: int
    foreign_cores: Optional[float]
    fitted: bool = False  # the fit has seen it
    predicted_s: float = 0.0
    low_s: Optional[float] = None  # of the model's interval, where it has one
    high_s: Optional[float] = None
    width: Optional[tuple] = None  # interval.Width
    beyond: str = ""  # in which way the prediction extrapolates
    ran: str = ""  # the algorithm that the prediction took for the library's choice
    marks: list = field(default_factory=list)

    @property
    def parameters(self) -> dict:
        return self.measured.parameters

    @property
    def bytes(self) -> int:
        return int(self.parameters.get("bytes", 0))

    @property
    def shown_placement(self) -> str:
        """Placement in tables: the measurement's name if a list places its ranks, whose order the
        counts omit."""
        listed = isinstance((self.measured.scenario or {}).get("placement"), list)
        return self.measured.name if listed else str(self.parameters["placement"])

    @property
    def is_posted(self) -> bool:
        """True of a non-blocking collective."""
        return "compute_s" in self.parameters

    @property
    def spread(self) -> Optional[float]:
        one = self.measured
        return accuracy.spread_of(one.median_s, one.p10_s, one.p90_s)

    @property
    def error(self) -> float:
        return accuracy.relative_error(self.predicted_s, self.measured.median_s)

    @property
    def inside(self) -> Optional[bool]:
        one = self.measured
        return None if self.spread is None else one.p10_s <= self.predicted_s <= one.p90_s

    @property
    def covered(self) -> Optional[bool]:
        """True if the measured time lies in the model's interval."""
        return None if self.low_s is None else self.low_s <= self.measured.median_s <= self.high_s

    @property
    def counts(self) -> bool:
        """Quiet, and never seen by the fit: it enters the headline's figures."""
        return not self.marks and not self.fitted

    def mark(self, limits: accuracy.Limits):
        if self.spread is not None and self.spread > limits.spread:
            self.marks.append("noisy")
        if (self.foreign_cores or 0) > limits.foreign_cores:
            self.marks.append(f"background load {self.foreign_cores:.2g} cores")


def place_of(measurement: Measurement) -> str:
    return f"{measurement.document.path}: {measurement.name}"


def series_of(where: dict) -> Series:
    return Series(where["link_bandwidth"], where["emulated"], where["mpi"], where["cpu"],
                  where["source"])


def job_of(measurement: Measurement) -> dict:
    """The job in its scenario; {} when somebody else measured it."""
    scenario = measurement.scenario or {}
    job = scenario.get("job", {})
    if not isinstance(job, dict):
        raise InputError(f"{place_of(measurement)}: scenario.job: expected a map, got "
                         f"{json.dumps(job)[:60]}")
    return job


def placement_of(measurement: Measurement) -> placements.Placement:
    """Read and compared with the counts beside it."""
    here = place_of(measurement)
    placement = placements.parse(str(measurement.parameters["placement"]),
                                 f"{here}: parameters.placement")
    for key, found in (("ranks_count", {placement.ranks}),
                       ("hosts_count", {placement.hosts, placement.used})):
        stated = int(measurement.parameters[key])
        if stated not in found:
            raise InputError(f"{here}: parameters.{key}: expected {max(found)}, as the placement "
                             f"{measurement.parameters['placement']} has, got {stated}")
    return placement


def same_case(measurement: Measurement) -> tuple:
    """Equal for what was launched several times. The scenario may hold more than the parameters."""
    job = {key: value for key, value in job_of(measurement).items()
           if key not in ("repetitions", "seed")}
    placement = (measurement.scenario or {}).get("placement")
    how = [measurement.extra.get(key) for key in ("path", "host_memory", "segment_bytes")]
    return (case_key(measurement), series_of(measurement.document.where),
            json.dumps([job, placement, how], sort_keys=True))


def foreign_cores(launches: list) -> Optional[float]:
    """The most of any launch; a measurement's own figure comes before its document's."""
    known = [one.extra.get("foreign_cores", one.document.where.get("foreign_cores"))
             for one in launches]
    for one, value in zip(launches, known):
        if value is not None and (isinstance(value, bool) or not isinstance(value, (int, float))):
            raise InputError(f"{place_of(one)}: foreign_cores: expected a number of cores, got "
                             f"{json.dumps(value)[:60]}")
    return max((value for value in known if value is not None), default=None)


def launches_of(measurement: Measurement) -> int:
    """Number of launches: whoever measured may have pooled several already."""
    launches = measurement.extra.get("launches")
    return len(launches) if isinstance(launches, list) and launches else 1


def gather(documents: list, fitted_keys: set, limits: accuracy.Limits) -> list:
    """The Cases of all replay documents, in the order in which they first stand."""
    launches = grouped((one for document in documents for one in document.measurements), same_case)
    cases = []
    for group in launches.values():
        merged = merge_samples(group)
        merged.document = group[0].document
        case = Case(merged, series_of(merged.document.where), placement_of(merged),
                    sum(launches_of(one) for one in group), foreign_cores(group),
                    is_among(merged, fitted_keys))
        case.mark(limits)
        cases.append(case)
    return cases


def without_job(case: Case) -> str:
    """Why no job of the simulator represents the case; "" where one does."""
    if case.placement.ranks == 1:
        return "a single rank does not communicate"
    if (name := str(case.parameters["collective"])) in collectives.NOT_SIMULATED:
        return f"{name} is not simulated"
    if not case.bytes and name != "barrier":
        return "no bytes"
    return ""


def simulated(found: list) -> tuple:
    """(the cases that a job represents, a note for each reason to omit others). Raises InputError
    where all are omitted."""
    omitted = grouped(filter(without_job, found),
                      lambda case: (case.measured.document.path, without_job(case)))
    notes = [f"{path}: {len(some)} case{'s' * (len(some) > 1)} omitted: {reason}"
             for (path, reason), some in omitted.items()]
    kept = [case for case in found if not without_job(case)]
    if found and not kept:
        raise InputError("expected a case that a job represents, got " + "; ".join(notes))
    return kept, notes


def label(case: Case) -> str:
    """"allreduce ring 4-2-2 1 MiB": unique within a series unless options differ."""
    words = [case.parameters["collective"],
             case.parameters["algorithm"] or f"({case.ran or 'chosen'})",
             case.shown_placement]
    if "bytes" in case.parameters:
        words.append(format_bytes(case.bytes))
    words += [case.measured.extra["path"]] if case.measured.extra.get("path") else []
    return " ".join(words)
