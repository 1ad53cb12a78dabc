"""The diagnosis on a screen."""

import math
import textwrap

from validation.doctor import ranking
from validation.doctor.diagnosis import Diagnosis
from validation.quantities import format_bandwidth, format_bytes, format_time

WIDTH = 100
CAUSES = 3  # explained in full


def rows(diagnosis: Diagnosis, series: str) -> list:
    sigmas = diagnosis.errors.sigma()
    found = []
    for i, point in enumerate(diagnosis.curve.points):
        if point.series != series:
            continue
        off = abs(math.log(point.ratio)) > ranking.LIMIT * sigmas[i]
        mark = ">" if i == diagnosis.first else "*" if off else ""
        expected = point.factor * point.bytes / point.expected
        found.append((mark, format_bytes(point.bytes), format_time(point.seconds),
                      format_time(point.expected), f"{point.ratio:.2f} x",
                      format_bandwidth(point.rate), format_bandwidth(expected),
                      f"{100 * sigmas[i]:.0f} %"))
    return found


HEADER = ("", "size", "measured", "expected", "ratio", "measured", "expected", "error")


def table(diagnosis: Diagnosis, series: str) -> str:
    lines = [HEADER, *rows(diagnosis, series)]
    widths = [max(len(line[i]) for line in lines) for i in range(len(HEADER))]
    body = ["  ".join(cell.rjust(width) for cell, width in zip(line, widths)).rstrip()
            for line in lines]
    return "\n".join([series, *body])


def wrapped(text: str, indent: str, first: str = "") -> str:
    return textwrap.fill(text, WIDTH, initial_indent=first or indent, subsequent_indent=indent,
                         break_long_words=False, break_on_hyphens=False)


def percent(share: float) -> str:
    return "under 1 %" if share < 0.01 else f"{100 * share:.0f} %"


def verdict(diagnosis: Diagnosis) -> str:
    points = diagnosis.curve.points
    if diagnosis.normal:
        ratios = sorted(point.ratio for point in points)
        return wrapped(f"Normal: {len(points)} point{'s' * (len(points) > 1)}, measured over "
                       f"expected time {ratios[0]:.2f} to {ratios[-1]:.2f}, within the model's "
                       "error.", "")
    point = points[diagnosis.first]
    several = f" ({point.series})" if len(diagnosis.curve.series) > 1 else ""
    word = "longer" if point.ratio > 1 else "shorter"
    return wrapped(f"Not normal from {format_bytes(point.bytes)} on{several}: {point.ratio:.2f} "
                   f"times the expected time, {word} than the model's error "
                   f"({100 * diagnosis.errors.sigma()[diagnosis.first]:.0f} %) explains.", "")


def explanation(number: int, outcome, probability: float) -> list:
    fit = f"{outcome.distance:.1f} standard deviations off per point"
    lines = [f"{number}. {outcome.name}, {percent(probability)}: {outcome.words} ({fit})"]
    return [wrapped(lines[0], "   "), wrapped(outcome.cause.title, "   "),
            wrapped("look: " + outcome.cause.check, "         ", "   ")]


def causes(diagnosis: Diagnosis) -> list:
    shares = ranking.probabilities(diagnosis.ranked)
    known = [(one, share) for one, share in zip(diagnosis.ranked, shares) if one.cause]
    unknown = next(share for one, share in zip(diagnosis.ranked, shares) if not one.cause)
    lines = [f"Of {len(known)} causes that such a cluster can have, by how well each explains the "
             "whole curve:"]
    for number, (one, share) in enumerate(known[:CAUSES], 1):
        lines += explanation(number, one, share)
    others = [f"{one.name} {percent(share)}" for one, share in known[CAUSES:] if share >= 0.01]
    lines += [wrapped("Then " + ", ".join(others) + ".", "")] if others else []
    if unknown > 0.01:
        lines.append(wrapped(f"Something that is in no list: {percent(unknown)}.", ""))
    same = [one.name for one in ranking.alike(diagnosis.ranked)]
    if len(same) > 1:
        lines.append(wrapped(f"These data do not tell apart: {', '.join(same)}.", ""))
    return lines


def text(diagnosis: Diagnosis) -> str:
    head = (f"{diagnosis.cluster} with {diagnosis.library}; the model's error is that of "
            f"'{diagnosis.family}'")
    parts = [head, *(table(diagnosis, series) for series in diagnosis.curve.series),
             verdict(diagnosis)]
    if diagnosis.ranked:
        parts.append("\n".join(causes(diagnosis)))
    for one in diagnosis.telling:
        parts.append(wrapped(one.text(), ""))
    parts += ["\n".join(wrapped("note: " + note, "  ", "") for note in diagnosis.notes)] \
        if diagnosis.notes else []
    return "\n\n".join(parts) + "\n"
