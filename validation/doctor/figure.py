# SPDX-License-Identifier: LGPL-2.1-or-later
"""The diagnosis as a picture: measured, expected, and the three causes that explain most."""

import numpy as np

from common import style
from common.quantities import RATES, SECONDS, format_bytes
from common.style import LINE_COLOURS, MARKERS, plt, set_x
from validation.doctor.diagnosis import Diagnosis

WIDTH, HEIGHT = 7.0, 5.0  # inches
CAUSES, MOST_SERIES, MOST_NAMES = 3, 4, 6
RATES_FROM = 1 << 16  # bytes: from there on rates are drawn, for shorter ones times
DASHES = ("--", "-.", ":")


def panels(diagnosis: Diagnosis) -> dict:
    """{title: indices of its points}: the series with the most points; of short ones all in one."""
    curve = diagnosis.curve
    series = sorted(curve.series, key=lambda name: -len(curve.of(name)))[:MOST_SERIES]
    if len(curve.of(series[0])) <= 2:
        return {"": list(range(len(curve.points)))}
    return {name: curve.places(name) for name in curve.series if name in series}


def by_name(axes, points: list):
    """One place a point, named where that can be read."""
    names = [f"{point.series}\n{format_bytes(point.bytes)}" for point in points]
    few = len(points) <= MOST_NAMES
    axes.set_xticks(range(len(points)) if few else [], names if few else [], fontsize=7)
    axes.set_xlabel("" if few else f"{len(points)} points, in the log's order")
    axes.set_xlim(-0.5, len(points) - 0.5)


def draw(axes, diagnosis: Diagnosis, title: str, own: list):
    points = [diagnosis.curve.points[i] for i in own]
    sizes = np.array([max(point.bytes, 1) for point in points], dtype=float)
    rates = min(sizes) >= RATES_FROM
    whole = np.array([point.factor * point.bytes if rates else 1.0 for point in points])
    seconds = np.array([point.seconds for point in points])
    places = sizes if title else np.arange(len(points))
    line = "-" if title else ""

    def shown(times):
        return (whole / times if rates else times) / unit

    unit = 1.0
    unit, unit_name = style.unit_for(float(np.median(shown(seconds))), RATES if rates else SECONDS)
    expected = np.array([point.expected for point in points])
    ends = sorted((shown(expected * np.exp(diagnosis.errors.low[own])),
                   shown(expected * np.exp(diagnosis.errors.high[own]))),
                  key=lambda one: one[0])
    if title:
        axes.fill_between(places, *ends, color="#DDDDDD", linewidth=0, label="normal")
    else:
        axes.vlines(places, *ends, color="#DDDDDD", linewidth=6, label="normal")
    axes.plot(places, shown(expected), color=style.INK, linewidth=1, linestyle=line or "None",
              marker="" if title else "_", markersize=9, label="expected")
    for k, one in enumerate(diagnosis.causes[:CAUSES]):
        axes.plot(places, shown(np.exp(one.log_times[own])), color=LINE_COLOURS[k], linewidth=1,
                  linestyle=DASHES[k] if title else "None", marker=MARKERS[k + 1], markersize=4,
                  markerfacecolor="none", label=f"{one.name}: {one.words}")
    axes.scatter(places, shown(seconds), s=16, color=LINE_COLOURS[6], zorder=3, label="measured")
    kind = "bus bandwidth" if rates else "time"
    axes.set(yscale="log", ylabel=f"{kind} ({unit_name})", title=title)
    style.plain(axes.yaxis, list(np.concatenate([shown(seconds), *ends])))
    if title:
        set_x(axes, "bytes", sizes)
    else:
        by_name(axes, points)
    style.grid(axes)


def write(diagnosis: Diagnosis, path: str):
    """Draws it in the format of its name. Raises InputError where that is impossible."""
    style.format_of(path)
    drawn = panels(diagnosis)
    with plt.rc_context(style.SETTINGS):
        width = WIDTH if len(drawn) == 1 else 4.4 * len(drawn)
        figure, grid = plt.subplots(1, len(drawn), figsize=(width, HEIGHT), squeeze=False)
        for axes, (title, own) in zip(grid[0], drawn.items()):
            draw(axes, diagnosis, title, own)
        handles, labels = grid[0][0].get_legend_handles_labels()
        order = [labels.index(name) for name in ("measured", "expected", "normal")]
        order += [i for i in range(len(labels)) if i not in order]
        style.margins(figure, 0.75, 0.2, 0.6, 0.75 + 0.19 * len(labels), wspace=0.28)
        style.title(figure, "Is it normal, and if not, why?")
        style.legend(figure, handles=[handles[i] for i in order], labels=[labels[i] for i in order])
        style.save(figure, path)
