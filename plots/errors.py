# SPDX-License-Identifier: LGPL-2.1-or-later
"""Plot prediction errors: each case with the model's interval, and the distribution of the errors.

Reads the JSON of `ringscope validate --json`. Fitted cases and noisy cases are omitted. If the
model has an interval for each case, a filled mark is a case with its measured median in the
interval. The text below reports the coverage and its nominal value. Marks of different algorithms
are slightly offset.
Example: plots/errors verdict.json -o errors.png
"""

import textwrap
from collections import namedtuple

import numpy

from common import style
from common.style import FAINT, INK, LINE_COLOURS, InputError, set_x
from plots import inputs
from plots.inputs import field

WIDTH, HEIGHT, LEFT, RIGHT, BOTTOM, GAP = 10.0, 3.85, 0.75, 0.3, 0.95, 0.8  # inches
LETTERS = 14  # of the words below, in an inch
Error = namedtuple("Error", "algorithm bytes error low high")  # shares; low, high: None of unknown
Judged = namedtuple("Judged", "errors level")  # `level`: the coverage that there should be, or None


def read_verdict(path):
    document = inputs.json_of(path, inputs.read_text(path))
    errors = []
    for i, case in enumerate(field(path, document, "cases", list)):
        where = f"{path}: cases[{i}]"
        if field(where, case, "marks", list) or case.get("fitted"):
            continue
        errors.append(error_of(where, case))
    if not errors:
        raise InputError(f"{path}: cases: none is counted: all are noisy or fitted")
    interval = document.get("interval")
    return Judged(errors, interval["level"] if interval else None)


def error_of(where, case):
    """Its interval, too, as errors: those that the ends of it would have of the measured time."""
    measured = field(where, case, "measured_s", float)
    ends = [None, None]
    if case.get("low_s") is not None:
        ends = [field(where, case, key, float) / measured - 1 for key in ("low_s", "high_s")]
    return Error(field(where, case, "algorithm", str), field(where, case, "bytes", int),
                 field(where, case, "error", float), *ends)


def covered(one):
    """True, False, or None where the model has no interval. 0: where the measured time stands."""
    return None if one.low is None else one.low <= 0 <= one.high


def coverage_words(judged):
    known = [covered(one) for one in judged.errors if one.low is not None]
    if not known:
        return "The model has no intervals, so coverage is unknown."
    share = f"{100 * sum(known) / len(known):.0f} %"
    words = (f"{sum(known)} of {len(known)} measured medians ({share}) lie in the model's interval")
    if judged.level is not None:
        words += f"; of a right model {100 * judged.level:.0f} % would"
    return words + "."


def draw_errors(axes, judged):
    names = sorted({one.algorithm for one in judged.errors})
    for i, (name, (colour, marker)) in enumerate(style.looks(names).items()):
        beside = 2.0 ** (0.07 * (i - (len(names) - 1) / 2))
        label = name
        for inside in (True, None, False):
            some = [one for one in judged.errors
                    if one.algorithm == name and covered(one) is inside]
            if some:
                axes.scatter([beside * max(1, one.bytes) for one in some],
                             [100 * one.error for one in some],
                             s=26, marker=marker, edgecolors=colour, linewidths=1, zorder=3,
                             facecolors="none" if inside is False else colour, label=label)
                label = None
        for one in judged.errors:
            if one.algorithm == name and one.low is not None:
                axes.plot([beside * max(1, one.bytes)] * 2, [100 * one.low, 100 * one.high],
                          color=colour, linewidth=0.9, alpha=0.6, zorder=2)
    axes.axhline(0, color=INK, linewidth=0.8)
    set_x(axes, "bytes", [max(1, one.bytes) for one in judged.errors])
    axes.set_ylabel("error of the prediction (%)")
    style.grid(axes)


def draw_shares(axes, judged):
    """The cumulative distribution of the errors, with its median and 90th percentile."""
    sizes = sorted(100 * abs(one.error) for one in judged.errors)
    count = len(sizes)
    axes.step([0.0, *sizes], [0.0, *(100 * (i + 1) / count for i in range(count))], where="post",
              color=LINE_COLOURS[0], linewidth=1.6)
    axes.set_xlim(0, 1.08 * sizes[-1] or 1)
    axes.set_ylim(0, 104)
    for name, share in (("median", 50), ("90th percentile", 90)):
        at = numpy.percentile(sizes, share)
        axes.plot([at, at], [0, share], color=FAINT, linewidth=0.9, linestyle=(0, (4, 3)))
        side = "right" if at > axes.get_xlim()[1] / 2 else "left"  # of the text: it stays inside
        axes.annotate(f"{name}: {at:.1f} %", (at, share), ha=side, fontsize=8, va="top",
                      xytext=(6 if side == "left" else -6, -10), textcoords="offset points")
    axes.set_xlabel("error, at most (%)")
    axes.set_ylabel(f"share of the {count} cases (%)")
    style.grid(axes)


def draw(judged, title, width=WIDTH):
    title = style.in_lines(title, width)
    columns, legend = style.size_of_legend({one.algorithm for one in judged.errors}, width)
    top = 0.55 + legend + style.extra_height(title)
    outside = any(covered(one) is False for one in judged.errors)
    below = textwrap.fill(coverage_words(judged) + " Empty marks: outside." * outside,
                          int(width * LETTERS))
    figure, (left, right) = style.pair(width, HEIGHT - BOTTOM, GAP, LEFT, RIGHT,
                                       BOTTOM + 0.15 * below.count("\n"), top)
    draw_errors(left, judged)
    draw_shares(right, judged)
    style.title(figure, title)
    style.legend(figure, ncol=columns)
    figure.text(LEFT / width, 0.15 / figure.get_figheight(), below, fontsize=8.5)
    return figure


def figure_of(path, title=None, width=WIDTH):
    return draw(read_verdict(path), title or style.PLOTS["errors"]["title"], width)


if __name__ == "__main__":
    style.run(lambda: style.write("errors", figure_of, __doc__))
