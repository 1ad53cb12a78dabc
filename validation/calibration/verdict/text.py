# SPDX-License-Identifier: LGPL-2.1-or-later
"""The verdict as text, for a terminal."""

from itertools import repeat
from typing import Sequence

from common.quantities import format_bytes, format_time
from validation.calibration.verdict import accuracy, cases, gpus, interval, judge, order
from validation.calibration.verdict.trace import ratios


def percent(share, digits: int = 1) -> str:
    return "?" if share is None else f"{100 * share:.{digits}f} %"


def signed(share: float) -> str:
    return f"{100 * share:+.1f} %"


def spread(case: cases.Case) -> str:
    return "?" if case.spread is None else f"±{100 * case.spread:.1f} %"


def plural(count: int, word: str) -> str:
    return f"{count} {word}" + ("" if count == 1 else "s")


def columns(head: Sequence, rows: list, left: Sequence = (0,)) -> list:
    """Lines; the columns of these numbers and the last are flush left, the others flush right."""
    table = [head, *rows]
    widths = [max(len(row[i]) for row in table) for i in range(len(head))]
    return ["  ".join(cell.ljust(width) if i in left or i == len(row) - 1 else cell.rjust(width)
                      for i, (cell, width) in enumerate(zip(row, widths))).rstrip()
            for row in table]


def series_head(series: cases.Series) -> str:
    parts = [f"link {series.link}" if series.link else "", series.mpi, series.cpu, series.source]
    known = ", ".join(part for part in parts if part) or "undescribed machine"
    return known + (f"\nEMULATED, not real: {series.emulated}" if series.emulated else "")


def case_table(listed: list) -> list:
    known = ["interval  "] if listed[0].low_s is not None else []
    head = ["case", "measured", "spread", "predicted", *known, "error", ""]
    return columns(head, [
        [cases.label(case), format_time(case.measured.median_s), spread(case),
         format_time(case.predicted_s), *interval_cells(case), signed(case.error),
         ", ".join(case.marks)] for case in listed])


def interval_cells(case: cases.Case) -> list:
    """"20.1 us .. 41 us", marked where the measured time is outside."""
    if case.low_s is None:
        return []
    return [f"{format_time(case.low_s)} .. {format_time(case.high_s)}"
            + ("  " if case.covered else " !")]


def chosen(verdict: judge.Verdict, listed: list) -> list:
    """Algorithms that stand for the library's own choice, where there is one."""
    stand_ins = set()
    for case in listed:
        if not case.parameters["algorithm"]:
            choice = verdict.model.choice_of(case)
            why = choice.why if choice.known else f"a guess: {choice.why}"
            stand_ins.add(f"{case.parameters['collective']} {choice.algorithm} ({why})")
    return [f"(in brackets): the library's own choice by {', '.join(sorted(stand_ins))}"] \
        if stand_ins else []


def rate_kept(verdict: judge.Verdict, series: cases.Series) -> list:
    """Said where the measured link's rate is known and cannot be simulated."""
    link = verdict.model.cluster.get("link")
    if not series.link or verdict.model.nominal_known or not isinstance(link, dict):
        return []
    return ["the fit has no goodput (fraction of the nominal bandwidth): simulated with the "
            f"fitted {link.get('bandwidth')}, regardless of the link"]


def case_tables(verdict: judge.Verdict) -> list:
    lines = []
    for series, listed in verdict.series().items():
        lines += [series_head(series), *rate_kept(verdict, series), *chosen(verdict, listed)]
        for seen in (False, True):
            if some := [case for case in listed if case.fitted == seen]:
                lines += ["fitted cases, not counted:"] * seen
                lines += case_table(some) + [""]
    return lines


def figures_text(figures: accuracy.Figures) -> str:
    return (f"median error {percent(figures.median)}, 90th percentile {percent(figures.p90)}, "
            f"median signed error {signed(figures.bias)}"
            + ("" if figures.inside is None else
               f"; inside p10..p90 of the measurement: {percent(figures.inside, 0)}"))


def summary(verdict: judge.Verdict) -> list:
    counted, marked = verdict.counted, verdict.marked
    lines = [plural(len(counted), "held-out case")
             + (": " + figures_text(accuracy.figures(counted)) if counted else "")]
    if marked:
        lines.append(f"counted separately, {len(marked)} noisy (spread above "
                     f"{percent(verdict.limits.spread, 0)}, or more than "
                     f"{verdict.limits.foreign_cores:g} cores of background load): "
                     + figures_text(accuracy.figures(marked)))
    if verdict.fitted:
        lines.append(f"not counted, {len(verdict.fitted)} fitted: "
                     + figures_text(accuracy.figures(verdict.fitted)))
    lines += coverage_lines(verdict) + extrapolations(verdict)
    pooled = sum(case.launches > 1 for case in verdict.judged)
    if pooled:
        lines.append(f"{plural(pooled, 'case')} measured in several launches: samples pooled")
    if any(case.spread is None for case in counted):
        lines.append("spread ?: not published; these cases count as quiet")
    return lines + [""]


def coverage_lines(verdict: judge.Verdict) -> list:
    if not (found := verdict.coverage):
        return []
    level = percent(interval.level_of(verdict.model), 0)
    return [f"inside the model's interval (level {level}): {found.inside} of {found.count}, "
            f"{percent(found.inside / found.count, 0)}; upper over lower end {found.ratio:.2f} "
            "(median); ! marks cases outside"]


def extrapolations(verdict: judge.Verdict) -> list:
    """How many predictions go beyond what the fit has seen, in which way, and their errors."""
    far = [case for case in verdict.counted if case.beyond]
    if not far:
        return []
    seen = verdict.model.range
    near = [case for case in verdict.counted if not case.beyond]
    why = {word: sum(word in case.beyond.split(", ") for case in far)
           for word in ("hosts", "ranks a host", "size")}
    words = ", ".join(f"{word} in {count}" for word, count in why.items() if count)
    lines = [f"extrapolated: {len(far)} of {len(verdict.counted)} ({words}); the fit covers "
             f"{plural(seen['hosts'], 'host')}, {plural(seen['ranks_per_host'], 'rank')} on a "
             f"host, {format_bytes(seen['least'])} to {format_bytes(seen['most'])}"]
    return lines + ([f"not extrapolated: {figures_text(accuracy.figures(near))}"] if near else [])


def order_words(pair: order.Pair) -> str:
    if pair.equal:
        words = "equal" if pair.predicted_equal else "equal, predicted different"
        words += f" (within {percent(pair.margin, 0)})"
    else:
        words = "right" if pair.right else "WRONG"
    return words if pair.counts else words + ", noisy"


def pair_label(pair: order.Pair) -> str:
    first = pair.first
    words = [judge.algorithm_of(first)]
    words += [format_bytes(first.bytes)] if first.bytes else []
    words += [first.series.link] if first.series.link else []
    return " ".join(words) + (", emulated" if first.series.emulated else "")


def order_table(pairs: list) -> list:
    if not pairs:
        return []
    rows = [[pair_label(pair), pair.second.shown_placement, pair.first.shown_placement,
             f"{pair.measured:.3f}", f"{pair.predicted:.3f}", signed(pair.error),
             order_words(pair)] for pair in pairs]
    found = judge.order_figures(pairs)
    return ["Order of placements: time of one over time of the other",
            *columns(["case", "one", "other", "measured", "predicted", "error", "order"], rows,
                     range(3)),
            f"order right in {found.right} of {plural(found.apart, 'pair')} that differ by more "
            f"than they spread; {found.equal_too} of {found.equal} equal "
            "pairs predicted equal (quiet cases)", ""]


def breakdown_tables(verdict: judge.Verdict) -> list:
    lines = []
    for name, groups in verdict.breakdowns().items():
        rows = [[format_bytes(value) if name == "size" else value, str(one.count),
                 percent(one.median), percent(one.p90), signed(one.bias), ""]
                for value, one in groups.items()]
        lines += columns([f"by {name}", "cases", "median", "p90", "signed", ""], rows) + [""]
    return lines


def head(verdict: judge.Verdict) -> list:
    paths = [document.path for document in verdict.documents]
    names = ", ".join(paths) if len(paths) < 5 else f"{paths[0]} ... {paths[-1]} ({len(paths)})"
    return [f"fitted: {verdict.model.path}", f"measured: {names}", ""]


def text(verdict: judge.Verdict) -> str:
    lines = head(verdict)
    if verdict.doubts:
        lines += [f"warning: {one}" for one in verdict.doubts] + [""]
    if verdict.judged:
        lines += case_tables(verdict) + summary(verdict) + order_table(verdict.pairs())
        lines += breakdown_tables(verdict)
    lines += gpus.refused(verdict.documents)
    for trace in verdict.traces:
        lines += trace_table(trace)
    for other in verdict.traces[1:]:
        lines += trace_ratios(verdict.traces[0], other)
    return "\n".join(lines).rstrip() + "\n"


def trace_table(trace) -> list:
    """Phases of a traced run (verdict/trace.py): measured, predicted, error, and between what the
    prediction may be."""
    between = [" .. ".join(map(format_time, one)) for one in trace.intervals()]
    rows = [[name, format_time(measured), format_time(predicted),
             signed(accuracy.relative_error(predicted, measured)), words]
            for (name, measured, predicted), words in zip(trace.rows(), between or repeat(""))]
    note = "fitted" if trace.fitted else "held out"
    return [f"trace {trace.name} ({note})", *columns(trace_head(between), rows), ""]


def trace_head(between) -> list:
    return ["", "measured", "predicted", "error",
            "by any split of the cost between sender and receiver" if between else ""]


def trace_ratios(first, other) -> list:
    found = ratios(first, other)
    rows = [[name, f"{measured:.3f}", f"{predicted:.3f}",
             signed(accuracy.relative_error(predicted, measured)),
             f"{between[0]:.3f} .. {between[1]:.3f}" if between else ""]
            for name, measured, predicted, between in found]
    return [f"{other.name} over {first.name}", *columns(trace_head(found[0][-1]), rows), ""]
