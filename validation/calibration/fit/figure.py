# SPDX-License-Identifier: LGPL-2.1-or-later
"""The fit as a picture: measured points, fitted curves, and what is left between them."""

import numpy as np

from common import style
from common.programs import InputError
from common.quantities import SECONDS
from common.style import plt, set_x
from validation.calibration.fit.observations import arrays

PANEL, HEIGHT = 4.4, 6.0  # inches
BAND = 10  # percent
WORST = 60  # percent; beyond that a residual is drawn at the edge
ZERO = 0.5  # place of a message without bytes on a logarithmic axis
WAYS = {"network": "between hosts", "shm": "in shared memory", "self": "to oneself"}


def series_of(result):
    """{panel: {label: (sizes, measured, fitted)}}, in seconds."""
    panels = {}
    for way, words in WAYS.items():
        fitted = result.transports[way]
        for one in fitted.observations + fitted.compared:
            predicted = one.predict(fitted.transport)
            for label in sorted({label_of(one.what, point) for point in one.points}):
                rows = [i for i, point in enumerate(one.points)
                        if label_of(one.what, point) == label]
                panels.setdefault(words, {})[label] = (one.sizes[rows], one.seconds[rows],
                                                       predicted[rows])
    for name, points in result.host.observations.items():
        sizes, seconds = arrays(points)
        panels.setdefault("one core", {})[points[0].what] = (
            sizes, seconds, getattr(result.host, name) * sizes)
    if result.collectives:
        panels["collectives"] = collective_series(result.collectives)
    return panels


def label_of(what, point):
    if what != "stream":
        return what
    pairs = point.parameters["pairs"]
    ways = "both directions" if point.parameters["directions"] == 2 else "one direction"
    return f"stream, {pairs} pair{'s' * (pairs != 1)}, {ways}"


def collective_series(fit):
    found = {}
    for case, predicted in zip(fit.cases, fit.predicted):
        label = f"{case.parameters['collective']}, {case.parameters['ranks_count']} ranks"
        for values, value in zip(found.setdefault(label, ([], [], [])),
                                 (case.bytes, case.measured.median_s, predicted)):
            values.append(value)
    return {label: tuple(np.array(values)[np.argsort(rows[0])] for values in rows)
            for label, rows in found.items()}


def draw(axes, residuals, series, looks):
    times = np.concatenate([measured for _, measured, _ in series.values()])
    unit, name = style.unit_for(float(np.median(times)), SECONDS)
    residuals.axhspan(-BAND, BAND, color="#DDDDDD", linewidth=0)
    for label, (sizes, measured, fitted) in series.items():
        colour, marker = looks[label]
        at = np.maximum(sizes, ZERO)
        axes.plot(at, fitted / unit, color=colour, linewidth=1)
        axes.scatter(at, measured / unit, s=14, marker=marker, color=colour, zorder=3)
        errors = np.clip(100 * (fitted / measured - 1), -WORST, WORST)
        residuals.scatter(at, errors, s=14, marker=marker, color=colour, zorder=3)
    axes.set(yscale="log", ylabel=f"time ({name})")
    style.plain(axes.yaxis)
    sizes = np.concatenate([one for one, _, _ in series.values()])
    for one in (axes, residuals):
        set_x(one, "bytes", np.maximum(sizes, 1))
        style.grid(one)
    axes.set(xlabel="", xticklabels=[])
    residuals.set(ylim=(-WORST, WORST), ylabel="fitted / measured - 1 (%)",
                  xlabel="size of a message (bytes)")


def write(result, path):
    """Draws the figure in the format of its name. Raises InputError where that is impossible."""
    panels = series_of(result)
    if not panels:
        raise InputError("--figure: expected probes or replays to draw, got none of either")
    labels = sorted({label for series in panels.values() for label in series})
    looks = style.looks(labels)
    with plt.rc_context(style.SETTINGS):
        width = max(2, len(panels)) * PANEL
        figure, grid = plt.subplots(2, len(panels), figsize=(width, HEIGHT), squeeze=False,
                                    gridspec_kw={"height_ratios": [2, 1]})
        for column, (words, series) in enumerate(panels.items()):
            draw(grid[0][column], grid[1][column], series, looks)
            grid[0][column].set_title(words)
        columns, legend = style.size_of_legend(labels, width)
        figure.subplots_adjust(left=0.75 / width, right=1 - 0.2 / width, bottom=0.1, hspace=0.08,
                               top=1 - (0.85 + legend) / HEIGHT, wspace=0.28)
        style.title(figure, "How well do the fitted values explain what was measured?")
        handles = [plt.Line2D([], [], color=looks[label][0], marker=looks[label][1], linewidth=1,
                              markersize=4, label=label) for label in labels]
        style.legend(figure, handles=handles, ncol=columns)
        style.save(figure, path)
