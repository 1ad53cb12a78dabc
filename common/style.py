# SPDX-License-Identifier: LGPL-2.1-or-later
"""Shared by the plots: colours, units, and how a picture is saved.

Colours are Okabe and Ito's (https://jfly.uni-koeln.de/color), which colour-blind people can tell
apart; hatches say the same again for black-and-white print.
"""

import argparse
import io
import itertools
import json
import math
import os
import pathlib
import re
import sys
import textwrap

import matplotlib

if "matplotlib.pyplot" not in sys.modules:  # else it is somebody's who has chosen: a notebook's
    matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402  (the backend comes first)
from matplotlib.patches import Patch  # noqa: E402
from matplotlib.ticker import (  # noqa: E402
    FuncFormatter, LogLocator, NullFormatter, NullLocator)

from common.programs import (  # noqa: E402
    InputError, Parser, for_terminal, page_parser, write_bytes)
from common.quantities import SIZES, in_unit  # noqa: E402

DOTS_PER_INCH = 150
SETTINGS = matplotlib.rc_params_from_file(
    pathlib.Path(__file__).with_name("pictures.mplstyle"), use_default_template=False)
INK, FAINT = SETTINGS["text.color"], SETTINGS["axes.edgecolor"]
TITLE_LINE = 0.2  # inches
TITLE_LETTERS_PER_INCH = 9.5

# Activities of a rank, and those in which it is blocked; kinds of its time, its own work or its
# waits (colour, hatch, words for the legend), and the kind of each cause; lines; formats of a
# picture, without date and version; words of the plots' options; common names of keys
ACTIVITIES, BLOCKED, KINDS, CAUSES, LINE_COLOURS, MARKERS, FORMATS, PLOTS, NAMES = json.loads(
    pathlib.Path(__file__).with_name("pictures.json").read_text(encoding="utf-8")).values()
MOST_TICKS = 6  # a panel is 4.1 inches wide, "512 KiB" takes 0.55

# The writer of PostScript takes the date from the clock.
NOW, NO_DATE = re.compile(rb"%%CreationDate: .*"), b"%%CreationDate: Thu Jan 01 00:00:00 1970"

OUTPUT = "picture to write, in the format of its name: .png, .pdf, .svg or .eps"


# Units of a width in inches
LENGTHS = {"mm": 1 / 25.4, "cm": 1 / 2.54, "in": 1.0}
LEAST_WIDTH, BESIDE = 2.5, 6.0  # inches of a picture; of one with two panels beside each other
END_LETTER, MOST_DIRECT, LEAST_PANEL = 0.07, 7, 1.9  # of names at the ends of lines
TICK_LETTER = 0.075


def inches(words):
    """A width such as 85mm, for argparse."""
    found = re.fullmatch(r"([\d.]+) *(mm|cm|in)", words)
    try:
        width = float(found[1]) * LENGTHS[found[2]]
    except (TypeError, ValueError):
        width = 0
    if not LEAST_WIDTH <= width <= 40:
        raise argparse.ArgumentTypeError(
            f"expected {LEAST_WIDTH / LENGTHS['mm']:.0f}mm or more, such as 85mm, 8.5cm or 3.3in, "
            f"got '{words}'")
    return width


def kind_of(activity, cause):
    """The key in KINDS of an activity; `cause`: of one who is blocked."""
    return CAUSES.get(cause, "by other") if activity in BLOCKED else activity


def unit_for(largest, units):
    """The largest unit in which `largest` is at least 1: (its size, its name)."""
    return next((unit for unit in units if abs(largest) >= unit[0]),
                units[-1] if largest else units[0])


def plain(axis, values=()):
    """0.1, 1, 10 on a logarithmic axis; where `values` are near each other 2 and 5, too."""
    narrow = len(values) > 0 and max(values) / min(values) < 500
    axis.set_major_locator(LogLocator(subs=(1, 2, 5)) if narrow else LogLocator())
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axis.set_minor_formatter(NullFormatter())


def set_y(axes, values, from_zero=False):
    """An axis from 0 if asked for, or for values near each other; else logarithmic."""
    if from_zero or max(values) < 10 * min(values):
        axes.set_ylim(0, 1.1 * max(values))
        return
    axes.set(yscale="log", ylim=(min(values) / 1.6, max(values) * 1.6))
    plain(axes.yaxis, values)
    axes.yaxis.set_minor_locator(NullLocator())


def label_step(count, inches):
    """The power of two N such that every N-th label of 0..count-1 fits beside the others."""
    labels = inches / (0.09 * (len(str(count)) + 1.2))
    return next(1 << power for power in itertools.count() if count / (1 << power) <= labels)


def kinds_legend(figure, used, columns):
    """The kinds in `used`, row by row below the title."""
    patches = [
        Patch(facecolor=colour, hatch=hatch, edgecolor=INK, linewidth=0.4, label=words)
        for name, (colour, hatch, words) in KINDS.items() if name in used
    ]
    rows = -(-len(patches) // columns)
    by_column = [patches[row * columns + column] for column in range(columns)
                 for row in range(rows) if row * columns + column < len(patches)]
    legend(figure, handles=by_column, ncol=columns, handlelength=1.6, columnspacing=1.4)


def margins(figure, left, right, bottom, top, **gaps):
    """Leaves inches around the panels; `gaps` as subplots_adjust() has them."""
    width, height = figure.get_size_inches()
    figure.subplots_adjust(left=left / width, right=1 - right / width, bottom=bottom / height,
                           top=1 - top / height, **gaps)


def pair(width, panel_height, gap, left, right, bottom, top):
    """A figure with two panels, one below the other where `width` is small; lengths in inches."""
    rows = 1 if width >= BESIDE else 2
    height = round(top + rows * (panel_height + bottom), 2)
    figure, panels = plt.subplots(rows, 3 - rows, figsize=(width, height))
    margins(figure, left, right, bottom, top, wspace=gap / ((width - left - right - gap) / 2),
            hspace=bottom / panel_height)
    return figure, panels


def direct(names, width):
    """Inches of names at the ends of lines; 0 where a legend has to name them."""
    inches_of = 0.25 + END_LETTER * max(map(len, names))
    fits = 1 < len(names) <= MOST_DIRECT and width - inches_of >= LEAST_PANEL
    return inches_of if fits else 0


def sparse(names, width):
    """Names of ticks, all or those that `width` inches hold beside each other."""
    step = math.ceil(TICK_LETTER * max(map(len, names)) * len(names) / width)
    return [name if i % step == 0 else "" for i, name in enumerate(names)]


def name_ends(axes, ends, heading=""):
    """Names lines at their right ends, moved apart where they would overlap. `ends`: {name: (x, y,
    colour)}; `heading`: what the names are."""
    gap = 0.15 / (axes.get_position().height * axes.figure.get_figheight())
    order = sorted(ends, key=lambda name: ends[name][1])
    places = [axes.transAxes.inverted().transform(axes.transData.transform(ends[name][:2]))[1]
              for name in order]
    for i in range(1, len(places)):
        places[i] = max(places[i], places[i - 1] + gap)
    places = [place - max(0, places[-1] - 1) for place in places]
    for i in range(len(places) - 2, -1, -1):
        places[i] = min(places[i], places[i + 1] - gap)
    for name, place in zip(order, places):
        axes.annotate(name, ends[name][:2], (1.04, place), textcoords="axes fraction", fontsize=8,
                      va="center", annotation_clip=False,
                      arrowprops={"arrowstyle": "-", "color": ends[name][2], "shrinkB": 4})
    axes.text(1.04, places[-1] + gap, heading, fontsize=8, va="center", style="italic",
              transform=axes.transAxes)


def grid(axes, **options):
    """Pale lines below what is drawn."""
    axes.grid(color="#DDDDDD", linewidth=0.6, **options)
    axes.set_axisbelow(True)


def line_style(number):
    """Colour, marker and dashes of a line among others."""
    return {"color": LINE_COLOURS[number % len(LINE_COLOURS)],
            "marker": MARKERS[number % len(MARKERS)], "linestyle": ["-", "--", ":"][number % 3],
            "markeredgecolor": "white"}


def looks(names):
    """{name: (colour, marker)}; more names than there are looks share them."""
    return {name: (LINE_COLOURS[i % len(LINE_COLOURS)], MARKERS[i % len(MARKERS)])
            for i, name in enumerate(names)}


def visible(rows, whole):
    """Kinds that take half a percent of `whole` in one of the rows {kind: seconds}."""
    return {kind for row in rows for kind, seconds in row.items() if seconds >= 0.005 * whole > 0}


def size_of_legend(labels, width):
    """(columns, inches) of a legend of lines; of one line there is none."""
    columns = max(1, int((width - 1) / (0.7 + 0.08 * max(map(len, labels)))))
    return columns, 0.2 * -(-len(labels) // columns) if len(labels) > 1 else 0


def legend_columns(used, width):
    """Number of the kinds in `used` that fit beside each other in `width` inches."""
    longest = max((len(KINDS[name][2]) for name in used), default=0)
    return max(1, min(len(used), int((width - 1) / (0.45 + 0.068 * longest))))


def legend(figure, **options):
    """A legend below the title, outside of every panel; by default of the first panel's lines,
    if there are several."""
    if "handles" not in options:
        handles, labels = figure.axes[0].get_legend_handles_labels()
        if len(handles) < 2:
            return
        options |= {"handles": handles, "labels": labels}
    # The title is the only text of a figure that has several lines; axis labels are texts too.
    lines = max(text.get_text().count("\n") for text in figure.texts) + 1
    top = 0.3 + TITLE_LINE * lines
    figure.legend(loc="upper left", borderaxespad=0, borderpad=0, **options,
                  bbox_to_anchor=(figure.subplotpars.left, 1 - top / figure.get_figheight()))


def in_lines(text, width):
    """A title broken into lines that fit `width` inches."""
    return textwrap.fill(text, int((width - 1) * TITLE_LETTERS_PER_INCH))


def extra_height(text):
    """The inches that a title of several lines needs beyond the first."""
    return TITLE_LINE * text.count("\n")


def title(figure, text):
    """The question, top left, in bold; to be called before the legend."""
    figure.text(figure.subplotpars.left, 1 - 0.18 / figure.get_figheight(), text, fontsize=11,
                fontweight="bold", va="top", linespacing=1.25)


def format_of(path):
    """Format of a picture, by the ending of its name."""
    ending = os.path.splitext(path)[1].lstrip(".").lower()
    if ending not in FORMATS:
        got = f"'.{ending}'" if ending else "a name without an ending"
        raise InputError(f"{path}: expected a name that ends in {in_a_row(FORMATS)}, got {got}")
    return ending


def in_a_row(words):
    dotted = [f".{word}" for word in words]
    return f"{', '.join(dotted[:-1])} or {dotted[-1]}"


def save(figure, path):
    """Writes the format of the name without date or version: same input, same bytes."""
    try:
        kind = format_of(path)
        picture = io.BytesIO()
        figure.savefig(picture, format=kind, dpi=DOTS_PER_INCH, metadata=FORMATS[kind])
        content = picture.getvalue()
        write_bytes(path, NOW.sub(NO_DATE, content, 1) if kind == "eps" else content)
    finally:
        plt.close(figure)


def write(plot, figure_of, page):
    """Saves the figure that `figure_of` makes of the words of the command line; --help is `page`,
    and the words of PLOTS."""
    parser = page_parser(plot, page, Parser)
    parser.add_argument("path", metavar=PLOTS[plot]["table"], help=PLOTS[plot]["from"])
    parser.add_argument("-o", "--output", required=True, help=OUTPUT)
    parser.add_argument("--title",
                        help=f"title of the picture (default: {PLOTS[plot]['title']})")
    parser.add_argument("--width", type=inches,
                        help="width of the picture, such as 85mm (default: by the kind)")
    for option, words in PLOTS[plot].get("options", {}).items():
        parser.add_argument(option, help=words)
    given = {name: value for name, value in vars(parser.parse_args()).items() if value is not None}
    output = given.pop("output")
    save(figure_of(**given), output)


def run(main):
    """Runs a plot's main(); bad input ends it with one line and exit code 1."""
    matplotlib.rcParams.update(SETTINGS)
    try:
        main()
    except InputError as error:
        name, words = pathlib.Path(sys.argv[0]).stem, for_terminal(str(error))
        sys.exit(words if words.startswith(f"{name}: ") else f"{name}: {words}")
    except BrokenPipeError:
        sys.exit(1)


def size_ticks(sizes):
    """Powers of two that span the sizes, no more than have room for their labels."""
    low = max(0, int(min(sizes)).bit_length() - 1)
    high = max(low + 1, int(max(sizes) - 1).bit_length())
    step = max(1, -(-(high - low) // (MOST_TICKS - 1)))
    return [2**power for power in range(low, high + 1, step)]


def set_x(axes, x, values):
    axes.set_xscale("log", base=2)
    axes.xaxis.set_minor_locator(NullLocator())
    if x == "bytes":
        ticks = size_ticks(values)
        axes.set_xticks(ticks, [in_unit(tick, SIZES) for tick in ticks])
        axes.set_xlabel("message size per rank (bytes)")
    else:
        ticks = sorted(set(values)) if len(set(values)) <= MOST_TICKS else size_ticks(values)
        axes.set_xticks(ticks, [str(tick) for tick in ticks])
        axes.set_xlabel("ranks")
