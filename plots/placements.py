# SPDX-License-Identifier: LGPL-2.1-or-later
"""Plot the time of each placement, best first, coloured by bottleneck.

Reads the CSV of `ringscope place --csv`. Each colour has a separate marker. A ring marks the
baseline placement. The best placement, the worst and the baseline are labelled.
Example: plots/placements placements.csv -o placements.png
"""

import re
from collections import namedtuple

from common import style
from common.quantities import SECONDS
from common.style import LINE_COLOURS, MARKERS, plt
from plots import inputs

WIDTH, HEIGHT, LEFT, RIGHT, BOTTOM, TOP = 7.5, 3.9, 0.8, 0.25, 0.6, 0.95  # inches
COLUMNS = ["place", "placement", "time_s", "held_up_by", "yours"]
OTHERS = "others"
Placed = namedtuple("Placed", "place name seconds cause yours")


def cause_of(words):
    """The words before the place: "CPU copy" of "CPU copy on host2/numa0/core0 (rank 7)"."""
    return re.split(" on | at |,|(?<=^link) ", words)[0] or "not known"


def read_placements(path):
    """Those that have a time, in the order of the file."""
    rows = [Placed(inputs.number(path, line, row, "place", int), row["placement"],
                   inputs.number(path, line, row, "time_s"), cause_of(row["held_up_by"]),
                   row["yours"] == "1")
            for line, row in inputs.read_csv(path, COLUMNS) if row["time_s"]]
    if not rows:
        raise style.InputError(f"{path}: no placement has a time")
    return rows


def causes(rows):
    """The causes, the most frequent first; what has no colour left is one of the others."""
    names = sorted({row.cause for row in rows},
                   key=lambda name: (-sum(row.cause == name for row in rows), name))
    if len(names) <= len(LINE_COLOURS):
        return names, {name: name for name in names}
    shown = names[:len(LINE_COLOURS) - 1]
    return [*shown, OTHERS], {name: name if name in shown else OTHERS for name in names}


def draw(rows, title, width=WIDTH):
    names, group = causes(rows)
    title = style.in_lines(title, width + RIGHT)
    columns = min(4, style.size_of_legend([f"{name} (99)" for name in names], width)[0])
    top = TOP + style.extra_height(title) + 0.2 * (-(-len(names) // columns) - 1)
    figure = plt.figure(figsize=(width, round(HEIGHT + top - TOP, 2)))
    style.margins(figure, LEFT, RIGHT, BOTTOM + 0.15 * (width < style.BESIDE),
                  top - 0.3 * (len(names) == 1))
    axes = figure.add_subplot()
    size, unit = style.unit_for(max(row.seconds for row in rows), SECONDS)
    for i, name in enumerate(names):
        some = [row for row in rows if group[row.cause] == name]
        axes.scatter([row.place for row in some], [row.seconds / size for row in some], s=18,
                     color=LINE_COLOURS[i], marker=MARKERS[i], label=f"{name} ({len(some)})",
                     linewidths=0.3, edgecolors="white")
    mark(axes, rows, size)
    axes.set_ylim(bottom=0, top=1.15 * max(row.seconds for row in rows) / size)
    label = "placements, the best first" + f"; the cause of all: {names[0]}" * (len(names) == 1)
    axes.set_xlabel(label if width >= style.BESIDE else label.replace("; ", ";\n"))
    axes.set_ylabel(f"time ({unit})")
    style.grid(axes, axis="y")
    style.title(figure, title)
    style.legend(figure, ncol=columns, handletextpad=0.2, columnspacing=1.2)
    return figure


def mark(axes, rows, size):
    """Names the best, the worst and the user's; the latter with a ring."""
    words = {rows[0]: "best", rows[-1]: "worst"}
    for row in rows:
        if row.yours:
            words[row] = f"{words[row]} and yours" if row in words else "yours"
            axes.scatter([row.place], [row.seconds / size], s=90, facecolors="none",
                         edgecolors=style.INK, linewidths=1)
    half = (rows[0].place + rows[-1].place) / 2
    narrow = axes.figure.get_figwidth() < style.BESIDE
    for row, what in words.items():
        left = row.place <= half
        axes.annotate(f"{what}: {row.name[:24]}", (row.place, row.seconds / size),
                      xytext=(8 if left else -8, 24 if narrow and "yours" in what else 10),
                      textcoords="offset points", fontsize=8, ha="left" if left else "right",
                      arrowprops={"arrowstyle": "-", "color": style.FAINT})


def figure_of(path, title=None, width=WIDTH):
    return draw(read_placements(path), title or style.PLOTS["placements"]["title"], width)


if __name__ == "__main__":
    style.run(lambda: style.write("placements", figure_of, __doc__))
