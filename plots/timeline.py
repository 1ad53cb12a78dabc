# SPDX-License-Identifier: LGPL-2.1-or-later
"""Plot the activity of each rank over time: one panel per case, one row per rank.

A black tick in a row marks the start of a phase. Beyond 32 ranks, ranks with the same activities
share a row. Beyond 64 such rows, adjacent ranks share a row, which shows their most frequent
activity.
Example: plots/timeline out/timeline.csv -o out/timeline.png
"""

import math
from collections import Counter

import numpy
from matplotlib.collections import LineCollection, PathCollection
from matplotlib.path import Path

from common import style
from common.quantities import SECONDS, in_unit
from common.style import ACTIVITIES, FAINT, INK, KINDS, InputError, plt
from plots import inputs
from plots.rows import Lane, Span, end_of, rows_of

COLUMNS = ["case", "rank", "activity", "phase", "start_s", "end_s"]

WIDTH = 10.0  # inches, like all lengths here
TOP, BOTTOM, LEFT, RIGHT, GAP = 1.08, 0.55, 0.62, 0.25, 0.62
LETTER, LABEL_HEIGHT = 0.075, 0.15  # of the rows' names
ROW, MOST_HEIGHT, LEAST_ROWS = 0.22, 6.0, 3
MOST_HATCHED_BARS = 500
MOST_HATCHED_ROWS = 48


def read_timeline(path):
    """{case: {rank, or Lane: [Span in order of time]}}, cases in the order of the file."""
    cases, streams = {}, {}
    for line, row in inputs.read_csv(path, COLUMNS):
        rank = inputs.number(path, line, row, "rank", int)
        start = inputs.number(path, line, row, "start_s")
        end = inputs.number(path, line, row, "end_s")
        if row["activity"] not in ACTIVITIES:
            raise InputError(f"{path}:{line}: unknown activity '{row['activity']}' "
                             f"(known: {', '.join(ACTIVITIES)})")
        if end < start:
            raise InputError(f"{path}:{line}: end_s is before start_s")
        if stream := row.get("stream"):
            rank = Lane(rank, streams.setdefault(stream, len(streams)), stream)
        ranks = cases.setdefault(row["case"], {})
        ranks.setdefault(rank, []).append(
            Span(style.kind_of(row["activity"], row.get("cause")), row["phase"], start, end))
    for ranks in cases.values():
        for spans in ranks.values():
            spans.sort(key=lambda span: span.start)
    return cases


def seconds_by_kind(spans):
    seconds = Counter()
    for span in spans:
        seconds[span.kind] += span.end - span.start
    return seconds


def phase_entries(spans):
    """[(phase, when this rank entered it)]; spans outside any phase do not end one."""
    entries = []
    for span in spans:
        if span.phase and (not entries or entries[-1][0] != span.phase):
            entries.append((span.phase, span.start))
    return entries


def draw_rows(axes, rows, unit):
    crowded = len(rows) > MOST_HATCHED_ROWS
    half = 0.5 if crowded else 0.4
    bars = {}
    for row, (_, spans) in enumerate(rows):
        for kind, _, start, end in spans:
            if end > start:
                left, right = start / unit, end / unit
                bars.setdefault(kind, []).append(
                    [(left, row - half), (left, row + half), (right, row + half),
                     (right, row - half)])
    for kind in sorted(set(bars) - {"idle"}):
        colour, hatch, _ = KINDS[kind]
        # A hatch on bars of a pixel's width cannot be seen.
        plain = crowded or len(bars[kind]) > MOST_HATCHED_BARS
        axes.add_collection(PathCollection([joined(bars[kind])], facecolors=colour, edgecolors=INK,
                                           linewidths=0, hatch="" if plain else hatch))


def joined(bars):
    """One path of many bars: a hatch is drawn once for each path, which takes longer than bars."""
    corners = numpy.array(bars)
    codes = numpy.tile([Path.MOVETO, *[Path.LINETO] * 3, Path.CLOSEPOLY], len(bars))
    return Path(numpy.append(corners, corners[:, :1], axis=1).reshape(-1, 2), codes)


def draw_phases(axes, rows, unit, end, longest):
    """A tick per row and phase; the name above, centred on where the ranks are in it, unless that
    is too short for it."""
    entries = [phase_entries(spans) for _, spans in rows]
    ticks = [[(start / unit, row - 0.5), (start / unit, row + 0.5)]
             for row, phases in enumerate(entries) for _, start in phases[1:]]
    axes.add_collection(LineCollection(ticks, colors="black", linewidths=1.6, capstyle="butt"))
    names = [phase for phase, _ in entries[0]]
    if any([phase for phase, _ in phases] != names for phases in entries) or len(names) > 6:
        return
    starts = [sum(phases[i][1] for phases in entries) / len(entries) for i in range(len(names))]
    inches = (axes.figure.get_figwidth() - LEFT - RIGHT) / (longest or 1)
    for name, start, end in zip(names, starts, starts[1:] + [end]):
        if LETTER * len(name) > (end - start) * inches:
            continue
        axes.annotate(name, ((start + end) / 2 / unit, 1), (0, 2), ha="center", va="bottom",
                      xycoords=axes.get_xaxis_transform(), textcoords="offset points", fontsize=8,
                      style="italic")


def draw_panel(axes, case, ranks, shown, unit, longest):
    rows, note = shown
    draw_rows(axes, rows, unit)
    draw_phases(axes, rows, unit, end_of(ranks), longest)
    count = len(rows)
    step = max(1, -(-count // 16)) if not note else math.ceil(
        LABEL_HEIGHT * count / height_of(shown))
    axes.set_yticks(range(0, count, step), [row.label for row in rows][::step])
    axes.set_ylim(count - 0.4, -0.6)
    axes.set_xlim(0, longest / unit * 1.01 or 1)
    axes.set_ylabel("rank")
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)
    axes.set_title(f"{case}:  {in_unit(end_of(ranks), SECONDS, 4)}", loc="left",
                   fontweight="bold", pad=14)
    if note:
        axes.set_title(note, loc="right", fontsize=8, pad=14)
    axes.axvline(end_of(ranks) / unit, color=FAINT, linewidth=0.8, linestyle=(0, (4, 3)))


def height_of(shown):
    return min(MOST_HEIGHT, max(LEAST_ROWS, len(shown.rows)) * ROW)


def draw(cases, title, width=WIDTH):
    shown = [rows_of(ranks) for ranks in cases.values()]
    heights = [height_of(one) for one in shown]
    left = max([LEFT] + [0.4 + LETTER * len(row.label) for one in shown for row in one.rows])
    title = style.in_lines(title, width)
    longest = max(end_of(ranks) for ranks in cases.values())
    used = style.visible([seconds_by_kind(spans) for ranks in cases.values()
                          for spans in ranks.values()], longest) - {"idle"}
    in_row = style.legend_columns(used, width)
    top = TOP + style.extra_height(title) + 0.2 * (-(-len(used) // in_row) - 1)
    height = round(top + sum(heights) + GAP * (len(heights) - 1) + BOTTOM, 2)
    figure, panels = plt.subplots(
        len(cases), 1, figsize=(width, height), sharex=True, squeeze=False,
        gridspec_kw={"height_ratios": heights})
    style.margins(figure, left, RIGHT, BOTTOM, top, hspace=GAP / (sum(heights) / len(heights)))
    unit, unit_name = style.unit_for(longest, SECONDS)
    for axes, (case, ranks), one in zip(panels[:, 0], cases.items(), shown):
        draw_panel(axes, case, ranks, one, unit, longest)
    panels[-1, 0].set_xlabel(f"time ({unit_name})")
    style.title(figure, title)
    style.kinds_legend(figure, used, in_row)
    return figure


def figure_of(path, title=None, width=WIDTH):
    return draw(read_timeline(path), title or style.PLOTS["timeline"]["title"], width)


if __name__ == "__main__":
    style.run(lambda: style.write("timeline", figure_of, __doc__))
