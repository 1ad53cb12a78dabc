# SPDX-License-Identifier: LGPL-2.1-or-later
"""The verdict as pictures: predicted against measured, errors by size, times by size."""

import os

from matplotlib.lines import Line2D

from common import style
from common.groups import grouped
from common.programs import InputError
from common.quantities import SECONDS
from common.style import plt, set_x
from validation.calibration.verdict import judge

BAND = 0.10
WIDTH, HEIGHT, PANEL = 7.0, 5.2, 2.9  # inches
MOST_PANELS, PER_ROW = 24, 6


def looks(judged: list) -> dict:
    """{algorithm: (colour, marker)}, the same in every picture."""
    return style.looks(sorted({judge.algorithm_of(case) for case in judged}))


def scatter(axes, judged: list, place, values):
    """A full mark for a case that counts; an empty one for the noisy and those of the fit."""
    for name, (colour, marker) in looks(judged).items():
        for counts in (True, False):
            some = [case for case in judged
                    if judge.algorithm_of(case) == name and case.counts == counts]
            axes.scatter([place(case) for case in some], [values(case) for case in some], s=26,
                         marker=marker, edgecolors=colour, linewidths=1,
                         facecolors=colour if counts else "none",
                         label=name if counts or not any(
                             judge.algorithm_of(case) == name and case.counts for case in judged)
                         else None, zorder=3)


def finish(figure, axes, question: str, judged: list):
    style.grid(axes)
    width = figure.get_figwidth()
    question = style.in_lines(question, width)
    columns, legend = style.size_of_legend(axes.get_legend_handles_labels()[1], width)
    style.margins(figure, 0.12 * width, 0.03 * width, 0.72,
                  0.75 + legend + style.extra_height(question))
    style.title(figure, question)
    style.legend(figure, ncol=columns)
    emulated = sorted({case.series.emulated for case in judged} - {""})
    words = ["empty marks: noisy or fitted"] * any(not case.counts for case in judged)
    words += [f"emulated, not real: {'; '.join(emulated)}"] if emulated else []
    figure.text(0.97, 0.01, ". ".join(words), ha="right", fontsize=7, color=style.INK)


def predicted_against_measured(judged: list):
    figure, axes = plt.subplots(figsize=(WIDTH, HEIGHT + 0.4))
    times = [time for case in judged for time in (case.measured.median_s, case.predicted_s)]
    unit, name = style.unit_for(max(times), SECONDS)
    low, high = min(times) / unit / 1.5, max(times) / unit * 1.5
    axes.fill_between([low, high], [low * (1 - BAND), high * (1 - BAND)],
                      [low * (1 + BAND), high * (1 + BAND)], color="#DDDDDD", linewidth=0,
                      label=f"within {100 * BAND:.0f} %")
    axes.plot([low, high], [low, high], color=style.FAINT, linewidth=0.8)
    scatter(axes, judged, lambda case: case.measured.median_s / unit,
            lambda case: case.predicted_s / unit)
    axes.set(xscale="log", yscale="log", xlim=(low, high), ylim=(low, high),
             xlabel=f"measured, median ({name})", ylabel=f"predicted ({name})")
    style.plain(axes.xaxis)
    style.plain(axes.yaxis)
    finish(figure, axes, "Does the model predict what was measured?", judged)
    return figure


def error_by_size(judged: list):
    sized = [case for case in judged if case.bytes > 0]
    if not sized:
        return None
    figure, axes = plt.subplots(figsize=(WIDTH, HEIGHT - 0.8))
    axes.axhspan(-100 * BAND, 100 * BAND, color="#DDDDDD", linewidth=0,
                 label=f"within {100 * BAND:.0f} %")
    axes.axhline(0, color=style.FAINT, linewidth=0.8)
    scatter(axes, sized, lambda case: case.bytes, lambda case: 100 * case.error)
    set_x(axes, "bytes", [case.bytes for case in sized])
    axes.set_ylabel("error of the prediction (%)")
    finish(figure, axes, "At which sizes is the model off?", sized)
    return figure


def curves_of(judged: list) -> dict:
    """{(algorithm, machine): {placement: [cases by size]}}: one panel each."""
    panels = grouped((case for case in judged if case.bytes > 0),
                     lambda case: (judge.algorithm_of(case), case.series))
    return {key: {name: sorted(line, key=lambda case: case.bytes)
                  for name, line in grouped(some, judge.placement_of).items()}
            for key, some in panels.items()}


def draw_curve(axes, line: list, look: tuple, unit: float):
    """Predicted as a line, measured as points with bars from the 10th to the 90th percentile."""
    colour, marker = look
    sizes = [case.bytes for case in line]
    axes.plot(sizes, [case.predicted_s / unit for case in line], color=colour, linewidth=1.2,
              marker="_", markersize=16, markeredgewidth=1.2, zorder=2)
    bars = [[max(0.0, case.measured.median_s - low) / unit for case, low, _ in spreads(line)],
            [max(0.0, high - case.measured.median_s) / unit for case, _, high in spreads(line)]]
    axes.errorbar(sizes, [case.measured.median_s / unit for case in line], yerr=bars,
                  fmt=marker, color=colour, markersize=4, linewidth=0, elinewidth=0.9, capsize=2,
                  zorder=3)


def spreads(line: list) -> list:
    """[(case, p10, p90)], the median where they are not known."""
    return [(case, *((case.measured.p10_s, case.measured.p90_s) if case.spread is not None
                     else (case.measured.median_s, case.measured.median_s))) for case in line]


def time_curves(judged: list):
    """Panels of (algorithm, machine), a colour for each placement."""
    panels = dict(list(curves_of(judged).items())[:MOST_PANELS])
    if not panels:
        return None
    across = min(2, len(panels))
    rows = -(-len(panels) // across)
    ranks = {name: line[0].placement.ranks for lines in panels.values()
             for name, line in lines.items()}
    names = sorted(ranks, key=lambda name: (ranks[name], name))
    colours = style.looks(names)
    legend_rows = -(-len(names) // PER_ROW)
    height = 0.9 + 0.2 * legend_rows + PANEL * rows
    figure, grid = plt.subplots(rows, across, figsize=(5 * across + 2 * (across == 1), height),
                                squeeze=False)
    figure.subplots_adjust(left=0.07 if across == 2 else 0.1, right=0.98, wspace=0.2, hspace=0.55,
                           bottom=0.55 / height, top=1 - (0.9 + 0.2 * legend_rows) / height)
    for axes, (key, lines) in zip(grid.flat, panels.items()):
        draw_panel(axes, key, lines, colours)
    for axes in list(grid.flat)[len(panels):]:
        axes.set_visible(False)
    style.title(figure, "How long does it take by size: measured (points), predicted (dashes)?")
    style.legend(figure, ncol=PER_ROW, handles=[
        Line2D([], [], color=colour, marker=marker, markersize=4, linewidth=1.2, label=name)
        for name, (colour, marker) in colours.items()])
    return figure


def draw_panel(axes, key: tuple, lines: dict, looks_of: dict):
    algorithm, series = key
    listed = [case for line in lines.values() for case in line]
    unit, name = style.unit_for(max(case.measured.median_s for case in listed), SECONDS)
    for placement, line in lines.items():
        draw_curve(axes, line, looks_of[placement], unit)
    set_x(axes, "bytes", [case.bytes for case in listed])
    style.set_y(axes, [time / unit for case in listed
                       for time in (case.measured.median_s, case.predicted_s)])
    axes.set_ylabel(f"time ({name})")
    axes.grid(color="#DDDDDD", linewidth=0.6)
    words = [algorithm, series.link, "emulated" if series.emulated else ""]
    axes.set_title(", ".join(word for word in words if word), loc="left", fontsize=9)


PICTURES = {"predicted_against_measured": predicted_against_measured,
            "error_by_size": error_by_size, "time_by_size": time_curves}


def write(judged: list, folder: str) -> list:
    """Writes the pictures into the folder, which is made; the paths."""
    plt.rcParams.update(style.SETTINGS)
    paths = []
    try:
        os.makedirs(folder, exist_ok=True)
        for name, draw in PICTURES.items():
            figure = draw(judged)
            if figure is not None:
                paths.append(os.path.join(folder, f"{name}.png"))
                style.save(figure, paths[-1])
    except OSError as error:
        raise InputError(f"{folder}: cannot be written: {error.strerror}") from None
    return paths
