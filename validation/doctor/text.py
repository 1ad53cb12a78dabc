# SPDX-License-Identifier: LGPL-2.1-or-later
"""The diagnosis on a screen."""

import math
import textwrap

from common.quantities import format_bandwidth, format_bytes, format_time
from validation.calibration.verdict.text import columns
from validation.doctor import judgement, ranking
from validation.doctor.diagnosis import Diagnosis
from validation.doctor.errors import LIMIT, OUTSIDE, WIDER
from validation.doctor.telling import benchmark

WIDTH = 100
CAUSES = 3  # explained in full
NAMED = 4  # sizes in a sentence
FEW, MOST_ROWS = 4, 16  # series with a table each; rows of a table of many
CELLS, SPANS = 21, (2, 4, 10, 100)  # of the picture: characters of a row, largest ratios


HEADER = ("", "size", "measured", "expected", "ratio", "measured", "expected", "normal")


def normal_range(diagnosis: Diagnosis, i: int) -> str:
    return f"{math.exp(diagnosis.errors.low[i]):.2f} to {math.exp(diagnosis.errors.high[i]):.2f}"


def row(diagnosis: Diagnosis, i: int) -> tuple:
    point = diagnosis.curve.points[i]
    mark = ">" if i == diagnosis.first else "*" if diagnosis.off[i] else ""
    expected = point.factor * point.bytes / point.expected
    return (mark, format_bytes(point.bytes), format_time(point.seconds),
            format_time(point.expected), f"{point.ratio:.2f} x", format_bandwidth(point.rate),
            format_bandwidth(expected), normal_range(diagnosis, i))


def picture(diagnosis: Diagnosis, some: list) -> list:
    """Its scale, then a row for each of these points, on a logarithmic scale of ratios: `●` is the
    measured time, `│` the expected one, `░` what is normal."""
    errors = diagnosis.errors
    shown = [(math.log(diagnosis.curve.points[i].ratio), errors.low[i], errors.high[i])
             for i in some]
    most = max(abs(value) for values in shown for value in values)
    span = next((one for one in SPANS if math.log(one) >= most), SPANS[-1])

    def cell(value: float) -> int:
        return round((CELLS - 1) * (0.5 + max(-0.5, min(0.5, value / (2 * math.log(span))))))

    rows = [f"1/{span}".ljust(CELLS // 2) + "1" + str(span).rjust(CELLS // 2)]
    for log, low, high in shown:
        cells = ["░" if cell(low) <= k <= cell(high) else " " for k in range(CELLS)]
        cells[CELLS // 2], cells[cell(log)] = "│", "●"
        rows.append("".join(cells))
    return rows


def legend(diagnosis: Diagnosis) -> list:
    """Meaning of the marks in the tables, where there are any."""
    marks = [row(diagnosis, i)[0] for i in range(len(diagnosis.curve.points))]
    said = ["* outside the normal range"] * ("*" in marks) + \
        ["> from here on not normal"] * (">" in marks)
    return ["; ".join(said)] if said else []


def table(diagnosis: Diagnosis, some: list, *more: list) -> list:
    """Lines of these points, with their picture and `more` of each behind it."""
    head, *lines = [(*line, drawn, *rest) for line, drawn, *rest in zip(
        [HEADER, *(row(diagnosis, i) for i in some)], picture(diagnosis, some),
        *(["", *one] for one in more))]
    return columns(head, lines, range(len(HEADER), len(head)))


def tables(diagnosis: Diagnosis) -> list:
    """One a series; one for all, the worst points first, where they are many and short."""
    points, series = diagnosis.curve.points, diagnosis.curve.series
    if len(series) > FEW and len(points) <= 2 * len(series):
        sigma = diagnosis.errors.sigma()
        worst = sorted(range(len(points)),
                       key=lambda i: (-abs(math.log(points[i].ratio)) / sigma[i], i))
        lines = table(diagnosis, worst[:MOST_ROWS], [points[i].series for i in worst[:MOST_ROWS]])
        more = len(points) - MOST_ROWS
        lines += [f"and {more} points closer to the expected time"] * (more > 0)
        return ["\n".join(lines)]
    return ["\n".join([name, *table(diagnosis, diagnosis.curve.places(name))]) for name in series]


def wrapped(text: str, indent: str = "", first: str = "") -> str:
    return textwrap.fill(text, WIDTH, initial_indent=first or indent, subsequent_indent=indent,
                         break_long_words=False, break_on_hyphens=False)


def percent(share: float) -> str:
    return "under 1 %" if share < 0.01 else f"{100 * share:.0f} %"


def normal(diagnosis: Diagnosis) -> str:
    """Names the sizes that are off, each without a neighbour that is off to the same side."""
    points = diagnosis.curve.points
    marked = [i for i in range(len(points)) if row(diagnosis, i)[0]]
    ratios = sorted(point.ratio for i, point in enumerate(points) if i not in marked)
    rest = (f"{len(ratios)} point{'s' * (len(ratios) > 1)}, measured over expected time "
            f"{ratios[0]:.2f} to {ratios[-1]:.2f}, inside the normal range.") if ratios else ""
    if not marked:
        return f"Normal: {rest}"
    several = len(diagnosis.curve.series) > 1
    names = [f"{format_bytes(points[i].bytes)} ({points[i].ratio:.2f} x the expected time"
             + f", {points[i].series}" * several + ")" for i in marked]
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    head = f"Normal except at {', '.join(names[:NAMED])}{more}: " if ratios else \
        f"Outside the normal range at {', '.join(names[:NAMED])}{more}: "
    return (f"{head}no neighbouring size is off to the same side. Measure "
            f"{'these sizes' if len(marked) > 1 else 'this size'} again. " + (
                f"All others: {rest}" if rest else "")).rstrip()


def verdict(diagnosis: Diagnosis) -> str:
    points = diagnosis.curve.points
    said, missing = judgement.verdict(diagnosis)
    other = judgement.other_gpus(diagnosis) and f"{wrapped(f'Cannot tell: {missing}.')}\n"
    doubt = f"\n{wrapped(f'Cannot tell whether this is a fault. Missing evidence: {missing}.')}" \
        if said == judgement.CANNOT_TELL and not other else ""
    if diagnosis.normal:
        return other + wrapped(normal(diagnosis).removeprefix("Normal: " * bool(doubt or other))
                               ) + doubt
    point = points[diagnosis.first]
    several = f" ({point.series})" if len(diagnosis.curve.series) > 1 else ""
    faster = ("\n" + wrapped("The machine is faster than described: check the "
                             "description (links, library, algorithm) first.")) * (point.ratio < 1)
    if doubt and point.job["algorithm"] == "nccl" and not faster:
        doubt += f"\n   $ NCCL_DEBUG=INFO {benchmark(point.job, point.placement, 8, 1 << 30)}"
    return other + wrapped(
        f"Not normal from {format_bytes(point.bytes)} on{several}: {point.ratio:.2f} times the "
        f"expected time, where {normal_range(diagnosis, diagnosis.first)} times are normal."
    ) + faster + doubt


def command(text: str) -> list:
    """A line to be copied into a shell, and below it what to look for there."""
    line, _, hint = text.partition("  # ")
    return [f"   $ {line}", *[wrapped(hint, "     ")] * bool(hint)]


def explanation(diagnosis: Diagnosis, number: int, outcome, probability: float) -> list:
    line = diagnosis.stated.get(outcome.name)
    simulated = not math.isnan(outcome.distance)
    shown = f"{outcome.words} ({outcome.distance:.1f} standard deviations off per point)" \
        if simulated else "not simulated"
    if line:
        part = f" and explains {percent(diagnosis.explains(outcome))} of it" if simulated else ""
        head = [wrapped(f"{number}. {outcome.name}: stated by {line.shown}{part}: {shown}", "   ")]
    else:
        head = [wrapped(f"{number}. {outcome.name}, {percent(probability)}: {shown}", "   ")]
    return head + [wrapped(outcome.cause.title, "   "),
                   *command(outcome.cause.check),
                   *(f"   see {one}" for one in outcome.cause.addresses())]


def evidence(diagnosis: Diagnosis) -> list:
    """Lines of the log about causes that are in no list below."""
    lines = [f"The log contradicts {name}: {line.shown}." for name, line in
             diagnosis.struck.items() if not diagnosis.normal]
    lines += [f"The log states {name}, which this curve does not show: {line.shown}." for name, line
              in diagnosis.stated.items() if diagnosis.normal]
    return ["\n".join(map(wrapped, lines))] if lines else []


def causes(diagnosis: Diagnosis) -> list:
    shares = ranking.probabilities(diagnosis.ranked)
    known = [(one, share) for one, share in zip(diagnosis.ranked, shares) if one.cause]
    unknown = next(share for one, share in zip(diagnosis.ranked, shares) if not one.cause)
    compared = max((sum(not math.isnan(time) for time in one.log_times) for one, _ in known),
                   default=0)
    some = f" (at {compared} of the points)" * (compared < len(diagnosis.curve.points))
    lines = [f"Ranking of {len(known)} possible causes by how well each explains the "
             f"whole curve{some}:"]
    for number, (one, share) in enumerate(known[:CAUSES], 1):
        lines += explanation(diagnosis, number, one, share)
    others = [f"{one.name} {percent(share)}" for one, share in known[CAUSES:] if share >= 0.01]
    lines += [wrapped("Then " + ", ".join(others) + ".")] if others else []
    if unknown > 0.01:
        none = " None of these explains the curve well." * (unknown > 0.5)
        lines.append(wrapped(f"Unlisted cause: {percent(unknown)}.{none}"))
    same = [one.name for one in ranking.alike(diagnosis.ranked)]
    if len(same) > 1 and not diagnosis.stated:
        lines.append(wrapped(f"These data do not distinguish: {', '.join(same)}."))
    return lines


def text(diagnosis: Diagnosis) -> str:
    head = f"{diagnosis.cluster} with {diagnosis.library}; normal: " + (
        f"{WIDER:.2g} times the range of {100 * (1 - OUTSIDE):.0f} % of such "
        "machines" if diagnosis.by_spread else
        f"{LIMIT:g} times the error of '{diagnosis.family}'")
    parts = [head, *tables(diagnosis), *legend(diagnosis), verdict(diagnosis), *evidence(diagnosis)]
    cards = [format_bytes(point.bytes) for point in diagnosis.above_the_cards()]
    if cards:
        parts.append(wrapped(f"At {', '.join(cards)} the bus bandwidth exceeds the cards' "
                             "bandwidth. On two hosts this is normal for a tree, which sends half "
                             "of the ring formula's bytes across the network."))
    if diagnosis.faster_on_two_hosts():
        parts.append(wrapped("Two hosts have more bus bandwidth than three or more. On two hosts "
                             "NCCL may choose the tree, whose bus bandwidth may exceed the cards' "
                             "bandwidth. For a fair comparison set NCCL_ALGO=Ring."))
    if diagnosis.ranked and diagnosis.explained:
        parts.append("\n".join(causes(diagnosis)))
    elif diagnosis.ranked:
        parts.append(wrapped("No cause is named: the most likely known cause would make the "
                             "machine even slower."))
    for one in diagnosis.telling if diagnosis.explained else []:
        parts.append("\n".join([wrapped(one.text()), *command(one.experiment.program)]))
    parts += ["\n".join(wrapped("note: " + note, "  ", "") for note in diagnosis.notes)] \
        if diagnosis.notes else []
    return "\n\n".join(parts) + "\n"
