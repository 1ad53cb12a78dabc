# SPDX-License-Identifier: LGPL-2.1-or-later
"""Plot a value of each case against one of the scenario's keys, and where two lines cross.

One line per algorithm; its name has all differences, at its end or in the legend. KEY is a dotted
key of the resolved scenario, such as cluster.link.bandwidth or job.options.servers. VALUE is a key
of the case, such as time_s or training.records_per_s. Cases without the key are level lines. A
sweep of two keys with numbers, at least four of each, is a heat map without --key.
Example: plots/against out/wires.json --key cluster.link.bandwidth -o out/wires.png
"""

import math
import re
from collections import namedtuple

import numpy
from matplotlib.colors import LogNorm, Normalize
from matplotlib.ticker import NullLocator

from common import style
from common.groups import grouped
from common.quantities import (BITS, BYTES, BYTE_RATES, RATES, SECONDS, SIZES, TIMES, in_unit,
                               size_of)
from common.style import plt
from plots import inputs

WIDTH, HEIGHT, LEFT, RIGHT, BOTTOM, TOP = 7.5, 3.35, 0.8, 0.25, 0.6, 0.55  # inches
CELL, BAR, MAPPED = 0.42, 1.0, 4  # of a heat map: inches of a row and right of it; least values
PARTS = ["algorithm", "placement", "library", "cluster"]
# Axes that a key can have: (units, the name of the one counted in, its size)
AXES = ((TIMES, "s", 1), (BYTES, "B", 1), (BYTE_RATES, "B/s", 1), (BITS, "bit/s", 1 / 8))
SAME = 0.01  # lines that are nearer to each other than this share do not cross, they are one
Point = namedtuple("Point", "label x y")
UNSAID = {"job", "options", "training"}  # keys that go without saying


def quantity(text):
    """(value, unit) of a quantity as scenarios write it, in bit/s, B/s, B or s; or of a number."""
    found = re.fullmatch(r"([0-9.e+-]+) ?(\S*)", str(text))
    if not found:
        raise ValueError
    number, name = float(found[1]), found[2]
    if not name:
        return number, ""
    for units, unit, size in AXES:
        if name in units:
            return number * size_of(units[name]) / size, unit
    raise ValueError


def name_of(dotted):
    """cluster.link.bandwidth as "cluster link bandwidth", records_per_s as "records per second"."""
    if dotted in style.NAMES:
        return style.NAMES[dotted]
    words = " ".join(part for part in dotted.split(".") if part not in UNSAID) or dotted
    words = re.sub(r"_per_s$", " per second", words)
    return re.sub(r"_s$", "", words).replace("_", " ")


def units_of(value):
    """In what a value of the case is counted; [(1, "")]: things."""
    last = value.rsplit(".", 1)[-1]
    if last in ("algbw", "busbw"):
        return RATES
    if last.startswith("bytes") or last.endswith("_bytes"):
        return SIZES
    return SECONDS if last.endswith("_s") and not last.endswith("_per_s") else [(1.0, "")]


def read_points(path, key, value):
    """The key, the points in the order of the cases, and the unit of x. Without a key that of a
    sweep's keys whose values are quantities."""
    cases = inputs.read_cases(path)
    key = key or next((one for one in cases[0].get("varied", ()) if is_quantity(cases, one)), None)
    if key is None:
        raise style.InputError(f"{path}: expected --key, the scenario's key on the x axis")
    rows, units = [], set()
    for i, case in enumerate(cases):
        where = f"{path}: cases[{i}]"
        found = inputs.at(case.get("scenario"), key)
        y = inputs.at(case, value)
        if isinstance(y, bool) or not isinstance(y, (int, float)) or not math.isfinite(y):
            known = f" (known: {', '.join(case['metrics'])})" if "metrics" in case else ""
            raise style.InputError(f"{where}: '{value}' is no number{known}")
        if found is None:
            rows.append((case, None, y))
            continue
        try:
            x, unit = quantity(found)
        except ValueError:
            raise style.InputError(f"{where}: {key}: expected a quantity, got '{found}'") from None
        units.add(unit)
        rows.append((case, x, y))
    if not units:
        raise style.InputError(f"{path}: cases[0]: its scenario has no key '{key}'")
    if len(units) > 1:
        raise style.InputError(f"{path}: {key}: the cases have different units")
    return key, named(rows, key), units.pop()


def is_quantity(cases, key):
    try:
        return bool([quantity(case["scenario"].get(key)) for case in cases])
    except ValueError:
        return False


def named(rows, key):
    """Each point with what tells its line from the others: parts, model and sizes that differ."""
    def parts(case):
        if "varied" in case:
            return [case["name"]] + [str(inputs.at(case["scenario"], one)) for one in case["varied"]
                                     if one != key]
        # A cluster whose key is on the x axis is the same cluster.
        # Servers bring a placement of their own.
        beside = ["placement"] if key == "job.options.servers" else []
        shown = [case.get(part, "") for part in PARTS
                 if not key.startswith(part) and part not in beside]
        size = in_unit(case.get("bytes") or 0, SIZES)
        # A model says how large its gradients are.
        shown.append(inputs.at(case, "training.model") or size)
        return shown
    all_parts = [parts(case) for case, _, _ in rows]
    differing = [i for i in range(len(all_parts[0])) if len({p[i] for p in all_parts}) > 1]
    labels = [", ".join(p[i] for i in differing if p[i]) for p in all_parts]
    return [Point(label if x is not None else case.get("name", "").partition(" ")[2] or label, x, y)
            for label, (case, x, y) in zip(labels, rows)]


def lines_of(points):
    lines = grouped(points, lambda point: point.label or "all cases")
    return {label: sorted(line, key=lambda point: point.x or 0) for label, line in lines.items()}


def crossings(first, second, height=math.log, back=math.exp):
    """Crossings of two lines between points that they have in common, straight on log axes;
    `height`, `back`: of a value on the y axis, and reversed."""
    pairs = [(a, b) for a in first for b in second
             if a.x == b.x and (a.x or 0) > 0 and min(a.y, b.y) > 0]
    found = []
    for (a, b), (c, d) in zip(pairs, pairs[1:]):
        before, after = height(a.y) - height(b.y), height(c.y) - height(d.y)
        if before * after < 0 and max(abs(math.log(a.y / b.y)), abs(math.log(c.y / d.y))) > SAME:
            share = before / (before - after)
            found.append((math.exp(math.log(a.x) + share * math.log(c.x / a.x)),
                          back(height(a.y) + share * (height(c.y) - height(a.y)))))
    return found


def words(value, unit):
    if not unit:
        return f"{value:g}"
    units = {"s": SECONDS, "B": SIZES}.get(unit)
    return in_unit(value, units or [(size, name.replace("B/s", unit)) for size, name in RATES])


def draw(points, unit, key, value, title, width=WIDTH, heading=""):
    """`heading`: what the names of lines are."""
    lines = lines_of(points)
    both = f"{name_of(value)} against {name_of(key)}".capitalize()
    title = style.in_lines(title or both, width)
    columns, legend = style.size_of_legend(lines, width)
    beside = style.direct([heading, *lines], width - LEFT) if len(lines) > 1 else 0
    top = TOP + style.extra_height(title) + legend * (not beside)
    figure, axes = plt.subplots(figsize=(width, round(HEIGHT + top, 2)))
    style.margins(figure, LEFT, RIGHT + beside, BOTTOM, top)
    largest = max(abs(point.y) for point in points)
    size, name = style.unit_for(largest, units_of(value))
    for i, (label, line) in enumerate(lines.items()):
        look = style.line_style(i)
        if line[0].x is None:  # nothing was simulated at any x
            axes.axhline(line[0].y / size, label=label, color=look["color"], linestyle="-.")
        else:
            axes.plot([point.x for point in line], [point.y / size for point in line],
                      label=label, **look)
    places = set_axes(axes, points, unit, size, units_of(value) is RATES)
    axes.set_xlabel(name_of(key) + {"": "", "B": " (bytes)"}.get(unit, f" ({unit})"))
    axes.set_ylabel(f"{name_of(value)} ({name})" if name else name_of(value))
    if beside:
        ends = {label: (line[-1].x or places[-1], line[-1].y / size,
                        style.line_style(i)["color"]) for i, (label, line) in
                enumerate(lines.items())}
        style.name_ends(axes, ends, heading)
    mark_crossings(axes, [line if line[0].x is not None else
                          [Point(label, x, line[0].y) for x in places]
                          for label, line in lines.items()], unit, size)
    style.title(figure, title)
    if not beside:
        style.legend(figure, ncol=columns)
    return figure


def draw_map(across, up, keys, units, value, title, width=WIDTH):
    """The values of two keys as a grid of colours with numbers. `across`, `up`: the same cases,
    with x of the first and of the second of `keys`."""
    both = f"{name_of(value)} by {' and '.join(map(name_of, keys))}".capitalize()
    title, units_of_y = style.in_lines(title or both, width), units_of(value)
    xs, ys = (sorted({point.x for point in points}) for points in (across, up))
    cells = numpy.full((len(ys), len(xs)), math.nan)
    for one, other in zip(across, up):
        cells[ys.index(other.x), xs.index(one.x)] = one.y
    low, high = numpy.nanmin(cells), numpy.nanmax(cells)
    scale = LogNorm(low, high) if 0 < 10 * low < high else Normalize(min(0, low), high or 1)
    top = TOP + style.extra_height(title)
    figure, axes = plt.subplots(figsize=(width, round(top + BOTTOM + CELL * len(ys), 2)))
    style.margins(figure, LEFT + 0.15, BAR, BOTTOM, top)
    place = axes.get_position()
    image = axes.pcolormesh(cells, cmap="cividis_r", norm=scale, edgecolors="white", linewidth=1)
    beside = figure.add_axes((place.x1 + 0.1 / width, place.y0, 0.14 / width, place.height))
    bar = figure.colorbar(image, cax=beside, label=name_of(value),
                          format=lambda shown, _: in_unit(shown, units_of_y))
    bar.outline.set_visible(False)
    bar.minorticks_off()
    inches = place.width * width
    texts = {place: in_unit(shown, units_of_y).strip() for place, shown in
             numpy.ndenumerate(cells) if not math.isnan(shown)}
    if style.TICK_LETTER * max(map(len, texts.values())) < inches / len(xs):
        for (row, column), text in texts.items():
            axes.text(column + 0.5, row + 0.5, text, ha="center", va="center", fontsize=8,
                      color="white" if scale(cells[row, column]) > 0.5 else style.INK)
    for axis, places, key, unit in zip((axes.xaxis, axes.yaxis), (xs, ys), keys, units):
        names = [words(place, unit) for place in places]
        axis.set_ticks([place + 0.5 for place in range(len(places))],
                       style.sparse(names, inches) if axis is axes.xaxis else names)
        axis.set_label_text(name_of(key))
    axes.tick_params(length=0)
    style.title(figure, title)
    return figure


def set_axes(axes, points, unit, size, from_zero):
    ticks = sorted({point.x for point in points if point.x is not None})
    if min(ticks) > 0:
        axes.set_xscale("log")
        axes.xaxis.set_minor_locator(NullLocator())
    inches = axes.get_position().width * axes.figure.get_figwidth()
    axes.set_xticks(ticks, style.sparse([words(tick, unit) for tick in ticks], inches))
    if min(point.y for point in points) > 0:
        style.set_y(axes, [point.y / size for point in points], from_zero)
    style.grid(axes)
    return ticks


def mark_crossings(axes, lines, unit, size):
    straight = (math.log, math.exp) if axes.get_yscale() == "log" else (float, float)
    for i, first in enumerate(lines):
        for second in lines[i + 1:]:
            for x, y in crossings(first, second, *straight):
                axes.annotate(f"cross at {words(x, unit)}", (x, y / size), xytext=(8, 8),
                              textcoords="offset points", fontsize=8,
                              arrowprops={"arrowstyle": "-", "color": style.FAINT})


def figure_of(path, title=None, key="", value="", width=WIDTH):
    cases = inputs.read_cases(path)
    first, keys = cases[0], cases[0].get("varied", ())
    value = value or next(iter(first.get("metrics", ())), "time_s")
    title = title or first.get("question")
    if not key and len(keys) == 2 and all(is_quantity(cases, one) for one in keys):
        (_, across, one), (_, up, other) = (read_points(path, each, value) for each in keys)
        if all(len({point.x for point in points}) >= MAPPED for points in (across, up)):
            return draw_map(across, up, keys, (one, other), value, title, width)
    key, points, unit = read_points(path, key, value)
    others = [name_of(one) for one in keys if one != key]
    return draw(points, unit, key, value, title, width, ", ".join(others))


if __name__ == "__main__":
    style.run(lambda: style.write("against", figure_of, __doc__))
