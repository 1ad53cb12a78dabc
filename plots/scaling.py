# SPDX-License-Identifier: LGPL-2.1-or-later
"""Plot time and bus bandwidth against the message size, or against ranks if the size is constant.

One line per (cluster, placement, algorithm, library); the legend lists only differences. If the
table has low_s and high_s (`ringscope estimate`), a band shows that range.
Example: plots/scaling out/scaling.csv -o out/scaling.png
"""

from collections import Counter, namedtuple

from common import style
from common.quantities import RATES, SECONDS
from plots import inputs

PARTS = ["cluster", "placement", "algorithm", "library"]
COLUMNS = ["case"] + PARTS + ["ranks", "bytes", "time_s", "busbw_bytes_per_s"]
Point = namedtuple("Point", "case parts ranks bytes time busbw band", defaults=(None,))

WIDTH, PANEL_HEIGHT = 10.0, 3.3  # inches, like all lengths here
TOP, BOTTOM, LEFT, RIGHT, GAP = 0.7, 0.6, 0.72, 0.25, 0.85
BAND = ", band: 90 % range"
WITHOUT_ROWS = ": all cases are deadlocked: nothing to draw; `ringscope run` prints the reason"


def read_points(path):
    return [Point(row["case"], tuple(row[part] for part in PARTS),
                  inputs.number(path, line, row, "ranks", int),
                  inputs.number(path, line, row, "bytes", int),
                  inputs.number(path, line, row, "time_s"),
                  inputs.number(path, line, row, "busbw_bytes_per_s"), band_of(path, line, row))
            for line, row in inputs.read_csv(path, COLUMNS, WITHOUT_ROWS)]


def band_of(path, line, row):
    """Factors of the time from the lower end of its range to the upper one; None: no range."""
    if not row.get("low_s") or not row.get("high_s"):
        return None
    time = inputs.number(path, line, row, "time_s") or 1.0
    return tuple(inputs.number(path, line, row, end) / time for end in ("low_s", "high_s"))


def against(points):
    """Quantity that varies along x: "ranks" only where all sizes are the same."""
    one_size = len({point.bytes for point in points}) == 1
    return "ranks" if one_size and len({point.ranks for point in points}) > 1 else "bytes"


def lines_of(points, x):
    """{label: [Point in order of x]}.

    Against ranks a line runs through placements, unless several share a number of ranks. Cases
    that are alike in all parts become lines by name.
    """
    parts = [point.parts for point in points]
    if x == "ranks":
        placement = PARTS.index("placement")
        without = [part[:placement] + ("",) + part[placement + 1:] for part in parts]
        if len({(part, point.ranks) for part, point in zip(without, points)}) == len(points):
            parts = without
    repeated = Counter((part, getattr(point, x)) for part, point in zip(parts, points))
    by_case = {part for (part, _), count in repeated.items() if count > 1}
    keys = [part + (point.case if part in by_case else "",) for part, point in zip(parts, points)]
    differing = [i for i in range(len(PARTS) + 1) if len({key[i] for key in keys}) > 1]
    lines = {}
    for key, point in zip(keys, points):
        label = ", ".join(key[i] for i in differing if key[i])
        lines.setdefault(label or point.parts[PARTS.index("algorithm")], []).append(point)
    return {label: sorted(line, key=lambda p: getattr(p, x)) for label, line in lines.items()}


def draw_panel(axes, lines, x, y, name, units):
    shown = [getattr(point, y) for line in lines.values() for point in line if getattr(point, y)]
    unit, unit_name = style.unit_for(max(shown), units) if shown else units[0]
    ends_of_bands = []
    for i, (label, line) in enumerate(lines.items()):
        line = [point for point in line if getattr(point, y) > 0 and getattr(point, x) > 0]
        axes.plot([getattr(point, x) for point in line],
                  [getattr(point, y) / unit for point in line], label=label, markersize=5,
                  linewidth=1.5, markeredgewidth=0.5, **style.line_style(i))
        banded = [point for point in line if point.band and min(point.band) > 0]
        if banded:
            power = 1 if y == "time" else -1  # a bandwidth is least where the time is most
            ends = [[getattr(point, y) / unit * point.band[end] ** power for point in banded]
                    for end in (0, 1)]
            axes.fill_between([getattr(point, x) for point in banded], *ends, alpha=0.2,
                              linewidth=0, color=style.line_style(i)["color"])
            name = f"{name.removesuffix(BAND)}{BAND}"
            ends_of_bands += sum(ends, [])
    places = [getattr(point, x) for line in lines.values() for point in line]
    style.set_x(axes, x, [place for place in places if place > 0] or [1])
    if shown:
        style.set_y(axes, [value / unit for value in shown] + ends_of_bands,
                    from_zero=units is RATES)
    axes.set_ylabel(f"{name} ({unit_name})")
    style.grid(axes)
    if not shown:
        axes.text(0.5, 0.5, "not defined for this collective", ha="center",
                  transform=axes.transAxes)


def draw(points, title, width=WIDTH):
    x = against(points)
    lines = lines_of(points, x)
    columns, legend = style.size_of_legend(lines, width)
    title = style.in_lines(title or f"How do time and bandwidth grow with the "
                           f"{'number of ranks' if x == 'ranks' else 'message size'}?", width)
    top = TOP + legend + style.extra_height(title)
    figure, (left, right) = style.pair(width, PANEL_HEIGHT, GAP, LEFT, RIGHT, BOTTOM, top)
    draw_panel(left, lines, x, "time", "time", SECONDS)
    draw_panel(right, lines, x, "busbw", "bus bandwidth", RATES)
    style.title(figure, title)
    style.legend(figure, ncol=columns)
    return figure


def figure_of(path, title=None, width=WIDTH):
    return draw(read_points(path), title, width)


if __name__ == "__main__":
    style.run(lambda: style.write("scaling", figure_of, __doc__))
