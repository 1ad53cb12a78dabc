# SPDX-License-Identifier: LGPL-2.1-or-later
"""Plot the time of each rank by activity: one panel per case, one bar per rank, grouped by host.

Example: plots/breakdown out/anomaly.json -o out/breakdown.png
"""

from collections import namedtuple
from itertools import groupby

from common import style
from common.quantities import SECONDS, in_unit
from common.style import ACTIVITIES, FAINT, INK, KINDS, plt
from plots import inputs

Rank = namedtuple("Rank", "rank host seconds")
Case = namedtuple("Case", "name question time ranks")
Names = namedtuple("Names", "hosts turned inches")

MOST_COLUMNS = 4
PANEL_HEIGHT, LEAST_PANEL = 2.9, 2.4  # inches, like all lengths here
TOP, BOTTOM, LEFT, RIGHT, GAP = 1.1, 0.62, 0.72, 0.25, 1.02
LETTER, LINE = 0.075, 0.13  # of the hosts' names
HEADING_LETTER = 0.088  # in bold


def read_report(path):
    cases = []
    for i, case in enumerate(inputs.read_cases(path)):
        where = f"{path}: cases[{i}]"
        ranks = []
        for j, rank in enumerate(inputs.field(where, case, "ranks", list)):
            at = f"{where}.ranks[{j}]"
            ranks.append(Rank(inputs.field(at, rank, "rank", int),
                              inputs.field(at, rank, "host", str), seconds_by_kind(at, rank)))
        if not ranks:
            raise style.InputError(f"{where}: ranks: is empty")
        cases.append(Case(inputs.field(where, case, "name", str),
                          inputs.field(where, case, "question", str),
                          inputs.field(where, case, "time_s", float), ranks))
    return cases


def seconds_by_kind(where, rank):
    """Seconds by kind: those of the rank's own work by activity, those of its waits by cause."""
    seconds = inputs.field(where, rank, "seconds", dict)
    kinds = dict.fromkeys(KINDS, 0.0)
    blocked = 0.0
    for name in ACTIVITIES:
        spent = inputs.field(f"{where}.seconds", seconds, name, float)
        if name in style.BLOCKED:
            blocked += spent
        else:
            kinds[name] += spent
    causes = inputs.field(where, rank, "waited_for_s", dict)
    for cause in causes:
        spent = inputs.field(f"{where}.waited_for_s", causes, cause, float)
        kinds[style.kind_of("in_wait", cause)] += spent
        blocked -= spent
    if blocked > 1e-9 * sum(kinds.values()):  # of a report that does not know why
        kinds["by other"] += blocked
    return kinds


def draw_bars(axes, ranks, unit):
    places = range(len(ranks))
    width = 0.8 if len(ranks) <= 64 else 1.0
    floor = [0.0] * len(ranks)
    for kind, (colour, hatch, _) in KINDS.items():
        heights = [rank.seconds[kind] / unit for rank in ranks]
        if any(heights):
            axes.bar(places, heights, width, bottom=floor, color=colour, hatch=hatch,
                     edgecolor=INK, linewidth=0.4 if len(ranks) <= 32 else 0)
        floor = [low + height for low, height in zip(floor, heights)]


def host_names(ranks, panel_width):
    """Layout of the hosts' names below their ranks, and the inches that they take there."""
    hosts = [(host, len(list(members))) for host, members in groupby(ranks, lambda r: r.host)]
    least = min(count for _, count in hosts) * panel_width / len(ranks)
    longest = LETTER * max(len(host) for host, _ in hosts)
    if longest + 0.05 <= least:
        return Names(hosts, 0, LINE)
    return Names(hosts, 90, longest) if LINE <= least else Names([], 0, 0)


def draw_hosts(axes, names):
    """Below the rank numbers, a bracket per host with its name, where there is room for all."""
    place = axes.get_xaxis_transform()
    first = 0
    apart = max(0.15, 0.006 * sum(count for _, count in names.hosts))
    for host, count in names.hosts:
        axes.plot([first - 0.5 + apart, first + count - 0.5 - apart], [-0.115] * 2, color=FAINT,
                  linewidth=1.2, solid_capstyle="butt", transform=place, clip_on=False)
        axes.text(first + (count - 1) / 2, -0.135, host, ha="center", va="top", fontsize=8,
                  transform=place, rotation=names.turned)
        first += count


def without_scenario(cases):
    """The cases without the name of their scenario, which begins the names of all."""
    first = cases[0].name.partition(" ")[0] + " "
    if len(cases) == 1 or not all(case.name.startswith(first) for case in cases):
        return cases
    return [case._replace(name=case.name.removeprefix(first)) for case in cases]


def heading(case, panel_width):
    """Name and time; of a name that is too long its two ends, by which names differ."""
    time = in_unit(case.time, SECONDS, 4)
    room = int(panel_width / HEADING_LETTER) - len(f":  {time}")
    if len(case.name) <= room:
        return f"{case.name}:  {time}"
    half = (room - 3) // 2
    return f"{case.name[:half]}...{case.name[-half:]}:  {time}"


def draw_panel(axes, case, unit, highest, panel_width):
    draw_bars(axes, case.ranks, unit)
    draw_hosts(axes, host_names(case.ranks, panel_width))
    step = style.label_step(len(case.ranks), panel_width)
    axes.set_xticks(range(0, len(case.ranks), step),
                    [str(rank.rank) for rank in case.ranks][::step])
    axes.set_xlim(-0.7, len(case.ranks) - 0.3)
    axes.set_ylim(0, highest / unit * 1.03)
    axes.tick_params(axis="x", length=0)
    style.grid(axes, axis="y")
    axes.set_title(heading(case, panel_width), loc="left", fontweight="bold")


def draw(cases, title, width=None):
    """`width`: inches (None: by the number of cases)."""
    columns = min(MOST_COLUMNS, len(cases), max(1, int((width or 99) / LEAST_PANEL)))
    rows = -(-len(cases) // columns)
    width = width or {1: 7.0, 2: 9.0, 3: 12.0}.get(columns, 14.0)
    title = style.in_lines(title, width)
    highest = max([sum(rank.seconds.values()) for case in cases for rank in case.ranks]
                  + [case.time for case in cases])
    used = style.visible([rank.seconds for case in cases for rank in case.ranks], highest)
    in_row = style.legend_columns(used, width)
    top = TOP + style.extra_height(title) + 0.2 * (-(-len(used) // in_row) - 1)
    panel_width = (width - LEFT - RIGHT) / columns
    below = max(host_names(case.ranks, panel_width).inches for case in cases)
    bottom, gap = BOTTOM + below, GAP + below
    height = round(top + rows * PANEL_HEIGHT + (rows - 1) * gap + bottom, 2)
    figure, panels = plt.subplots(rows, columns, figsize=(width, height), sharey=True,
                                  squeeze=False)
    style.margins(figure, LEFT, RIGHT, bottom, top, hspace=gap / PANEL_HEIGHT, wspace=0.08)
    unit, unit_name = style.unit_for(highest, SECONDS)
    for axes, case in zip(panels.flat, without_scenario(cases)):
        draw_panel(axes, case, unit, highest or 1.0, panel_width)
    for axes in list(panels.flat)[len(cases):]:
        axes.set_visible(False)
    for axes in panels[:, 0]:
        axes.set_ylabel(f"time ({unit_name})")
    figure.text(0.5 + (LEFT - RIGHT) / 2 / width, 0.12 / height, "rank, by host", ha="center")
    style.title(figure, title)
    style.kinds_legend(figure, used, in_row)
    return figure


def figure_of(path, title=None, width=None):
    cases = read_report(path)
    return draw(cases, title or cases[0].question or "Where does each rank's time go?", width)


if __name__ == "__main__":
    style.run(lambda: style.write("breakdown", figure_of, __doc__))
