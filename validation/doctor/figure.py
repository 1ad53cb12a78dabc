"""The diagnosis as a picture: measured, expected, and the three causes that explain most."""

import numpy as np
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from plots import style
from plots.style import LINE_COLOURS, MARKERS, plt
from validation.doctor import ranking
from validation.doctor.diagnosis import Diagnosis
from validation.quantities import RATES, SECONDS, SIZES

WIDTH, HEIGHT = 7.0, 4.6  # inches
CAUSES, MOST_SERIES = 3, 4
DASHES = ("--", "-.", ":")


def worth_drawing(diagnosis: Diagnosis) -> list:
    """The series with the most points, in their order."""
    curve = diagnosis.curve
    series = sorted(curve.series, key=lambda name: -len(curve.of(name)))[:MOST_SERIES]
    return [name for name in curve.series if name in series]


def draw(axes, diagnosis: Diagnosis, name: str):
    points = diagnosis.curve.points
    own = [i for i, point in enumerate(points) if point.series == name]
    sizes = np.array([max(points[i].bytes, 1) for i in own], dtype=float)
    rates = len({points[i].bytes for i in own}) > 0 and min(sizes) >= 1 << 16
    whole = np.array([points[i].factor * points[i].bytes if rates else 1.0 for i in own])
    seconds = np.array([points[i].seconds for i in own])

    def shown(times):
        return whole / times if rates else times

    unit, unit_name = style.unit_for(float(np.median(shown(seconds))), RATES if rates else SECONDS)
    expected = np.array([points[i].expected for i in own])
    sigma = diagnosis.errors.sigma()[own] * ranking.LIMIT
    axes.fill_between(sizes, shown(expected * np.exp(-sigma)) / unit,
                      shown(expected * np.exp(sigma)) / unit, color="#DDDDDD", linewidth=0,
                      label="normal")
    axes.plot(sizes, shown(expected) / unit, color=style.INK, linewidth=1, label="expected")
    for k, one in enumerate(diagnosis.causes[:CAUSES]):
        times = np.exp(one.log_times[own])
        axes.plot(sizes, shown(times) / unit, color=LINE_COLOURS[k], linestyle=DASHES[k],
                  marker=MARKERS[k + 1], markersize=3, linewidth=1,
                  label=f"{one.name}: {one.words}")
    axes.scatter(sizes, shown(seconds) / unit, s=22, color=LINE_COLOURS[6], zorder=3,
                 label="measured")
    kind = "bus bandwidth" if rates else "time"
    axes.set(xscale="log", yscale="log", ylabel=f"{kind} ({unit_name})", xlabel="size (bytes)",
             title=name)
    style.plain(axes.yaxis)
    powers = np.arange(0, 60, 3 if max(sizes) / min(sizes) < 1e5 else 6)
    ticks = [2.0 ** power for power in powers if min(sizes) / 2 <= 2.0 ** power <= 2 * max(sizes)]
    axes.xaxis.set_major_locator(FixedLocator(ticks))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: style.in_words(value, SIZES)))
    axes.grid(color="#DDDDDD", linewidth=0.6)
    axes.set_axisbelow(True)


def write(diagnosis: Diagnosis, path: str):
    """Draws it in the format of its name. Raises InputError where that is impossible."""
    names = worth_drawing(diagnosis)
    with plt.rc_context(style.SETTINGS):
        width = WIDTH if len(names) == 1 else 4.4 * len(names)
        figure, grid = plt.subplots(1, len(names), figsize=(width, HEIGHT), squeeze=False)
        for axes, name in zip(grid[0], names):
            draw(axes, diagnosis, name)
        handles, labels = grid[0][0].get_legend_handles_labels()
        rows = -(-len(labels) // 2)
        figure.subplots_adjust(left=0.75 / width, right=1 - 0.2 / width, bottom=0.55 / HEIGHT,
                               top=1 - (0.95 + 0.2 * rows) / HEIGHT, wspace=0.28)
        style.title(figure, "Is it normal, and if not, why?")
        style.legend(figure, handles=handles, labels=labels, ncol=2)
        style.save(figure, path)
