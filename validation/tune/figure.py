# SPDX-License-Identifier: LGPL-2.1-or-later
"""The tuning as a picture: the library's own choice, its algorithms, and where the file takes over.
"""

import numpy as np

from common import style
from common.quantities import SECONDS
from common.style import LINE_COLOURS, MARKERS, plt, set_x
from validation.tune.decision import Decided

WIDTH, HEIGHT = 4.6, 5.0  # inches, of a panel
MOST_LINES = 5  # algorithms: those that are best somewhere come first


def fastest(one: Decided) -> dict:
    """{algorithm of the library: its time at each size, with its best segment, NaN without}."""
    found: dict = {}
    for i, row in enumerate(one.rows):
        for timed in row.ranked:
            times = found.setdefault(timed.choice.way.name, np.full(len(one.rows), np.nan))
            times[i] = np.fmin(times[i], timed.seconds)
    least = np.array([row.best.seconds for row in one.rows])
    nearest = sorted(found, key=lambda name: float(np.nanmin(found[name] / least)))
    return {name: found[name] for name in nearest[:MOST_LINES]}


def draw(axes, one: Decided, unit: float, unit_name: str):
    sizes = np.array([row.bytes for row in one.rows], dtype=float)
    own = np.array([row.own.seconds for row in one.rows]) / unit
    axes.plot(sizes, own, color=style.INK, linewidth=1.6, label="its own choice")
    for k, (name, times) in enumerate(fastest(one).items()):
        axes.plot(sizes, times / unit, color=LINE_COLOURS[k], linewidth=1, marker=MARKERS[k],
                  markersize=4, markerfacecolor="none", label=name)
    entries = [row for row in one.rows if row.entry]
    axes.scatter([row.bytes for row in entries], [row.entry.seconds / unit for row in entries],
                 s=42, color="none", edgecolors=style.INK, zorder=3, label="in the file")
    axes.set(yscale="log", ylabel=f"time ({unit_name})", title=one.collective)
    style.plain(axes.yaxis, list(own))
    set_x(axes, "bytes", sizes)
    style.grid(axes)
    axes.legend(fontsize=7, frameon=False)


def write(found: list, title: str, path: str):
    """Draws it in the format of its name. Raises InputError where that is impossible."""
    style.format_of(path)
    middle = float(np.median([row.own.seconds for one in found for row in one.rows]))
    unit, unit_name = style.unit_for(middle, SECONDS)
    with plt.rc_context(style.SETTINGS):
        width = WIDTH * len(found)
        figure, grid = plt.subplots(1, len(found), figsize=(width, HEIGHT), squeeze=False)
        for axes, one in zip(grid[0], found):
            draw(axes, one, unit, unit_name)
        style.margins(figure, 0.7, 0.2, 0.55, 0.75, wspace=0.3)
        style.title(figure, title)
        style.save(figure, path)
