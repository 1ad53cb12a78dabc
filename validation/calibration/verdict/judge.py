# SPDX-License-Identifier: LGPL-2.1-or-later
"""All that is said about a fitted model: its cases, its figures, the order of its placements."""

from typing import NamedTuple, Optional

from common.groups import grouped
from common.programs import InputError
from common.quantities import parse_quantity
from validation.calibration.verdict import (accuracy, cases, doubts, interval, model, order,
                                            residuals, simulator, trace)


class Verdict(NamedTuple):
    """`traces` are compared by themselves (verdict/trace.py)."""

    model: model.Model
    documents: list
    limits: accuracy.Limits
    judged: list
    traces: list
    omitted: list  # in words

    @property
    def counted(self) -> list:
        return [case for case in self.judged if case.counts]

    @property
    def marked(self) -> list:
        """Noisy: listed, and counted apart."""
        return [case for case in self.judged if case.marks and not case.fitted]

    @property
    def fitted(self) -> list:
        return [case for case in self.judged if case.fitted]

    def series(self) -> dict:
        """{Series: its cases}, in the order in which they were given."""
        return grouped(self.judged, lambda case: case.series)

    @property
    def doubts(self) -> list:
        parts = {part for case in self.judged if case.width for part in case.width.parts}
        return [*self.omitted, *doubts.doubts(self.model, self.documents, self.judged),
                *residuals.warnings(self.model.errors, sorted(parts))]

    @property
    def coverage(self) -> Optional[accuracy.Coverage]:
        """Coverage of the cases that count; None without intervals."""
        return accuracy.coverage(interval.level_of(self.model), [
            (case.measured.median_s, case.predicted_s, case.low_s, case.high_s)
            for case in self.counted if case.low_s is not None])

    def pairs(self) -> list:
        """Pairs of the cases that the fit has not seen."""
        return order.pairs([case for case in self.judged if not case.fitted])

    def breakdowns(self) -> dict:
        """{what they are grouped by: {value: Figures}} of the counted cases; groups of one value
        say nothing and are left out."""
        keys = {  # keys that group cases, and keys that sort the groups
            "algorithm": (algorithm_of, algorithm_of),
            "placement": (placement_of, lambda case: (case.placement.ranks, placement_of(case))),
            "size": (lambda case: case.bytes, lambda case: case.bytes),
            "rate": (lambda case: case.series.link or "not known", rate_of),
        }
        found = {name: accuracy.figures_by(self.counted, *key) for name, key in keys.items()}
        return {name: groups for name, groups in found.items() if len(groups) > 1}


def algorithm_of(case: cases.Case) -> str:
    return f"{case.parameters['collective']} {case.parameters['algorithm'] or '(chosen)'}"


def placement_of(case: cases.Case) -> str:
    return str(case.parameters["placement"])


def rate_of(case: cases.Case) -> float:
    """Rate in bytes/s; 0 where nobody knows it, or says it in words of their own."""
    try:
        return parse_quantity(case.series.link, "bandwidth")
    except InputError:
        return 0.0


class OrderFigures(NamedTuple):
    """Number of quiet pairs that differ by more than their spreads, and of those with the right
    order; number of the others, and of those that are predicted equal too."""

    apart: int
    right: int
    equal: int
    equal_too: int


def order_figures(pairs: list) -> OrderFigures:
    counted = [pair for pair in pairs if pair.counts]
    apart = [pair for pair in counted if not pair.equal]
    equal = [pair for pair in counted if pair.equal]
    return OrderFigures(len(apart), sum(pair.right for pair in apart), len(equal),
                        sum(pair.right for pair in equal))


def judge(runner: simulator.Simulator, fitted: model.Model, documents: list,
          limits: accuracy.Limits, refuse_fitted: bool = False,
          any_emulation: bool = False, intervals: bool = False) -> Verdict:
    """Simulates everything measured in the documents, by other models that the fit allows too if
    there are to be intervals. Raises InputError for what cannot be."""
    replays = [document for document in documents if document.kind == "replay"]
    judged, omitted = cases.simulated(cases.gather(replays, fitted.fitted, limits))
    traces = trace.gather([document for document in documents if document.kind == "trace"], fitted)
    if refuse_fitted:
        seen = [cases.place_of(case.measured) for case in judged if case.fitted]
        seen += [f"{one.document.path}: placement {one.name}" for one in traces if one.fitted]
        if seen:
            raise InputError(f"{seen[0]}: expected a held-out case, got one of "
                             f"calibration.fitted of {fitted.path} ({len(seen)} in all)")
    for path, measured, seen in [] if any_emulation else doubts.others(fitted, documents):
        raise InputError(f"{path}: where.emulated: expected {doubts.in_words(seen)}, as "
                         f"calibration.emulated of {fitted.path}, got {doubts.in_words(measured)}: "
                         "another machine than the fit's; --any-emulation predicts it all the same")
    if judged:
        simulator.predict(runner, fitted, judged)
        for case in judged:
            case.beyond = interval.beyond(fitted, case)
    if intervals:
        interval.predict(runner, fitted, judged)
    trace.predict(runner, fitted, traces)
    return Verdict(fitted, documents, limits, judged, traces, omitted)
