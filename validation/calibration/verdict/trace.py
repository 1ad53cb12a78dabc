# SPDX-License-Identifier: LGPL-2.1-or-later
"""A traced run of a ring, call by call, against the simulator's timeline: its end, its phases."""

import csv
import io
import statistics
from dataclasses import dataclass, field
from typing import NamedTuple

from common.groups import grouped
from common.programs import InputError
from common.quantities import parse_quantity
from validation.calibration.verdict import cases, model, placements
from validation.calibration.verdict.simulator import Simulator
from validation.measurements import Document, is_among

PHASES = ("end", "reduce-scatter, mean over ranks", "allgather, mean over ranks")


class Phases(NamedTuple):
    """Seconds from the start to the last rank's end; mean seconds of a rank in each phase."""

    end: float
    scatter: float
    gather: float


@dataclass
class Trace:
    """One placement of one document. `fitted`: its calls are what the parameters were read off."""

    document: Document
    placement: placements.Placement
    measured: Phases
    job: dict
    fitted: bool
    predicted: Phases = field(default=None)
    splits: list = field(default_factory=list)  # Phases, by what else explains the fitted trace

    @property
    def name(self) -> str:
        return str(self.placement.value)

    def rows(self) -> list:
        return list(zip(PHASES, self.measured, self.predicted))

    def intervals(self) -> list:
        """(low, high) of each phase, over all splits; [] where the fit knows of none."""
        return [(min(one), max(one)) for one in zip(self.predicted, *self.splits)] \
            if self.splits else []


def ratios(first: Trace, other: Trace) -> list:
    """(phase, measured, predicted, (low, high) or None) of one trace over another, split by split:
    what is uncertain in both is not uncertain in their ratio."""
    found = []
    for i, ((name, *first_s), (_, *other_s)) in enumerate(zip(first.rows(), other.rows())):
        measured, predicted = (two / one for one, two in zip(first_s, other_s))
        each = [predicted] + [two[i] / one[i] for one, two in zip(first.splits, other.splits)]
        found.append((name, measured, predicted, (min(each), max(each)) if other.splits else None))
    return found


def measured_phases(calls: list, placement: placements.Placement, place: str) -> Phases:
    """Rank by rank: the wait of the last of P - 1 steps ends its reduce-scatter."""
    last_step = placement.ranks - 2
    scatter, ends = {}, {}
    for one in calls:
        rank = int(one.parameters["rank"])
        ends[rank] = max(ends.get(rank, 0.0), one.median_s)
        if one.what == "wait" and one.parameters["step"] == last_step:
            scatter[rank] = one.median_s
    missing = [rank for rank in range(placement.ranks) if rank not in scatter]
    if missing:
        raise InputError(f"{place}: expected every rank's wait of step {last_step}, the last of "
                         f"the reduce-scatter, got none of rank {missing[0]}")
    return phases(scatter, ends)


def phases(scatter: dict, ends: dict) -> Phases:
    return Phases(max(ends.values()), statistics.mean(scatter.values()),
                  statistics.mean(ends[rank] - scatter[rank] for rank in scatter))


def job_of(calls: list, fitted: model.Model, ranks: int) -> dict:
    """The algorithm that ran, as far as the trace says; a source may not state the size, then
    the fit has assumed one, and only the costs per message mean anything."""
    stated = calls[0].parameters
    assumed = fitted.calibration.get("trace") or {}
    size = stated.get("bytes")
    if size is None and "chunk" in assumed:
        size = ranks * parse_quantity(str(assumed["chunk"]), "bytes",
                                      f"{fitted.path}: calibration.trace.chunk")
    if size is None:
        raise InputError(f"{calls[0].document.path}: measurements[0].parameters.bytes: expected "
                         "the bytes of the buffer on each rank, got nothing, and the fitted model "
                         "has not assumed any")
    return {"collective": stated.get("collective", "allreduce"),
            "algorithm": stated.get("algorithm") or "ring", "bytes": f"{int(size)} B"}


def gather(documents: list, fitted: model.Model) -> list:
    """One Trace per placement and document."""
    found = []
    for document in documents:
        calls = grouped(document.measurements, lambda one: str(one.parameters["placement"]))
        for text, some in calls.items():
            place = f"{document.path}: placement {text}"
            placement = placements.parse(text, place)
            seen = any(is_among(one, fitted.fitted) for one in some)
            found.append(Trace(document, placement, measured_phases(some, placement, place),
                               job_of(some, fitted, placement.ranks), seen))
    return found


def predict(simulator: Simulator, fitted: model.Model, traces: list):
    for trace in traces:
        case = cases.Case(trace.document.measurements[0], cases.series_of(trace.document.where),
                          trace.placement, 1, None)
        scenario = {"cluster": model.cluster_for(fitted, case, trace.placement.value),
                    "placement": trace.placement.value, "job": trace.job}
        name = f"{trace.document.path}: placement {trace.name}"
        first, *others = (
            predicted_phases(simulator.run(library, [scenario], [name], "--timeline", "-"), name)
            for library in [fitted.library, *libraries_of(fitted)])
        trace.predicted, trace.splits = first, others


def libraries_of(fitted: model.Model) -> list:
    """The fitted library with every split of the network's costs that its trace allows."""
    found = (fitted.calibration.get("trace") or {}).get("splits") or []
    place = f"{fitted.path}: calibration.trace.splits"
    if not isinstance(found, list) or not all(
            isinstance(one, dict) and set(one) == {"send_cost", "recv_cost"} for one in found):
        raise InputError(f"{place}: expected a list of maps with send_cost and recv_cost")
    return [fitted.library | {"network": (fitted.library.get("network") or {}) | one}
            for one in found]


def predicted_phases(timeline: str, name: str) -> Phases:
    scatter, ends = {}, {}
    for row in csv.DictReader(io.StringIO(timeline)):
        rank, end = int(row["rank"]), float(row["end_s"])
        if row["phase"]:
            ends[rank] = max(ends.get(rank, 0.0), end)
        if row["phase"] == "reduce-scatter":
            scatter[rank] = max(scatter.get(rank, 0.0), end)
    if not scatter:
        raise InputError(f"{name}: expected an algorithm with the phases reduce-scatter and "
                         "allgather, got another")
    return phases(scatter, ends)
