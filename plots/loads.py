# SPDX-License-Identifier: LGPL-2.1-or-later
"""Plot the cluster with its loads: hosts, switches and links, coloured by utilisation.

Reads the page of `ringscope lesson`. The colour of a link shows its busier direction. The number
next to a host or a switch is the load of its busiest uplink. Equally loaded hosts of one switch are
drawn as one. Where hosts differ too much to be drawn, a sheet has a strip for each kind of link and
direction, with a cell for each link.
Example: plots/loads anomaly.html -o loads.png
"""

import json
import re
import statistics
import textwrap
from collections import namedtuple

from matplotlib import colormaps
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Normalize
from matplotlib.patches import FancyArrowPatch, Rectangle

from common import style
from common.groups import grouped
from common.quantities import SECONDS, in_unit
from common.style import FAINT, INK, InputError, plt
from plots import inputs

COLOURS = colormaps["cividis_r"]  # bright to dark, the same to all eyes
MOST_HOSTS = 12
MOST_CASES = 4
MOST_BESIDE = 5  # hosts of a case in half the width
WIDTH, LEFT, RIGHT, TOP, GAP = 10.0, 0.35, 1.0, 0.75, 0.5  # inches, like all lengths here
LEVEL, CELL, HOST_WIDTH, SWITCH_HEIGHT = 1.0, 0.2, 0.62, 0.22
STRIP, MOST_CELLS = 0.2, 400  # of a sheet
CELLS = ("core", "memory", "inside")  # the busiest of each in a host

Host = namedtuple("Host", "name number ranks cells uplinks")  # uplinks: {switch: [load of a NIC]}
Link = namedtuple("Link", "lower upper load")
# switches: {name: level}; strips: {kind of link: [(load, name)]}
Case = namedtuple("Case", "name hosts others switches links strips", defaults=({},))


def read_page(path):
    """The cases of a lesson's page."""
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>',
                      inputs.read_text(path), re.S)
    if not found:
        raise InputError(f"{path}: is not a page of `ringscope lesson`: it has no data")
    try:
        document = json.loads(found[1])
        return [case_of(f"{name}:  {in_unit(case['report']['time_s'], SECONDS, 4)}", case)
                for name, case in zip(document["names"], document["cases"])][:MOST_CASES]
    except (ValueError, LookupError, TypeError) as error:
        raise InputError(f"{path}: expected the data of a lesson: {error!r}") from None


def case_of(name, case):
    machine, resources = case["machine"], case["loads"]["resources"]
    parts = machine["components"]
    links = [(link["from"], link["to"],
              max(resources[i]["mean"] if i >= 0 else 0.0 for i in link["loads"]))
             for link in machine["links"]]
    hosts = [host_of(number, text, parts, links, resources, machine["ranks"])
             for number, text in enumerate(machine["hosts"])]
    switches = levels_of(parts, links)
    between = [Link(*sorted((parts[a]["name"], parts[b]["name"]), key=lambda one: switches[one]),
                    load) for a, b, load in links if parts[a]["host"] < 0 and parts[b]["host"] < 0]
    return Case(name, *fewer(hosts), *seen(switches, merged(between), hosts),
                strips_of(parts, machine["links"], resources, switches))


def strips_of(parts, links, resources, levels):
    """{kind of link and direction, or "cores": [(load, name)]}"""
    def word(part):
        kind = {"nic": "NIC", "gpu": "GPU"}.get(part["kind"], part["kind"])
        return kind + (f" of level {levels[part['name']]}" if part["host"] < 0 else "")
    strips = {}
    for link in links:
        ends = [word(parts[link[end]]) for end in ("from", "to")]
        for one, index in zip((ends, ends[::-1]), link["loads"]):
            if index >= 0:
                strips.setdefault(" to ".join(one), []).append(index)
    strips["cores"] = [i for i, used in enumerate(resources) if used["kind"] == "core"]
    return {kind: [(resources[i]["mean"], resources[i]["name"]) for i in some]
            for kind, some in strips.items() if some}


def host_of(number, name, parts, links, resources, ranks):
    cells = {}
    for used in resources:
        if used["name"].startswith(f"{name}/") and used["kind"] in CELLS:
            cells[used["kind"]] = max(cells.get(used["kind"], 0.0), used["mean"])
    uplinks = {}
    for ends in links:
        inner = [end for end in ends[:2] if parts[end]["host"] == number]
        outer = [end for end in ends[:2] if parts[end]["host"] < 0]
        if len(inner) == 2 and ends[2] > 0:
            cells["inside"] = max(cells.get("inside", 0.0), ends[2])
        elif inner and outer:
            uplinks.setdefault(parts[outer[0]]["name"], []).append(ends[2])
    return Host(name, 1, sum(parts[rank]["host"] == number for rank in ranks), cells, uplinks)


def levels_of(parts, links):
    """{switch: how many links it is above the nearest host}."""
    levels = {}
    near = {i for i, part in enumerate(parts) if part["host"] >= 0}
    level, reached = 0, set(near)
    while near:
        near = {other for a, b, _ in links for one, other in ((a, b), (b, a))
                if one in near and other not in reached}
        reached |= near
        level += 1
        levels.update({parts[i]["name"]: level for i in near})
    return levels


def merged(links):
    """One link for each pair: the busiest."""
    return [max(some, key=lambda link: link.load)
            for some in grouped(links, lambda link: link[:2]).values()]


def fewer(hosts):
    """Hosts that are loaded alike as one; the busiest of them; and how many are not among them."""
    alike = grouped(hosts, lambda host: (
        host.ranks, tuple((name, round(host.cells.get(name, 0), 2)) for name in CELLS),
        tuple((name, tuple(round(load, 2) for load in loads))
              for name, loads in host.uplinks.items())))
    groups = [members[0]._replace(number=len(members)) for members in alike.values()]
    shown = sorted(groups, key=lambda host: -max(
        [*host.cells.values(), *(max(loads) for loads in host.uplinks.values()), 0.0]))[:MOST_HOSTS]
    kept = [host for host in groups if host in shown]
    return kept, len(hosts) - sum(host.number for host in kept)


def seen(switches, links, hosts):
    """Switches at the lowest level only where a host hangs below them, and at most MOST_HOSTS a
    level; links between those."""
    below = {name for host in fewer(hosts)[0] for name in host.uplinks}
    kept = {}
    for name, level in switches.items():
        full = sum(other == level for other in kept.values()) >= MOST_HOSTS
        if not full and (level > 1 or name in below):
            kept[name] = level
    return kept, [link for link in links if link.lower in kept and link.upper in kept]


def places(names, width):
    """{name: its middle}, spread evenly."""
    return {name: (i + 0.5) * width / len(names) for i, name in enumerate(names)}


def percent(load):
    return f"{100 * load:.0f} %"


def box(axes, x, y, width, height, load, text, size=7):
    """`load`: None of what has none."""
    colour = "white" if load is None else COLOURS(load)
    axes.add_patch(Rectangle((x - width / 2, y), width, height, facecolor=colour, edgecolor=INK,
                             linewidth=0.6, zorder=3))
    dark = load is not None and load > 0.5
    axes.text(x, y + height / 2, text, ha="center", va="center", fontsize=size, zorder=4,
              color="white" if dark else INK)


def draw_link(axes, start, end, load, bend=0.0, room=1.0):
    """`room`: inches to the next link beside it."""
    axes.add_patch(FancyArrowPatch(start, end, arrowstyle="-", shrinkA=0, shrinkB=0, zorder=1,
                                   linewidth=min(2 + 3 * load, 50 * room), color=COLOURS(load),
                                   connectionstyle=f"arc3,rad={bend}"))


def label_link(axes, x, y, load):
    axes.text(x, y, percent(load), ha="center", va="center", fontsize=7, zorder=5,
              bbox={"boxstyle": "round,pad=0.15", "facecolor": "white", "edgecolor": "none"})


def host_name(host, room):
    """The name, as much of it as `room` inches hold, and what the box stands for."""
    letters = max(4, int(room / 0.075))
    name = host.name if len(host.name) <= letters else host.name[:letters - 2] + ".."
    count = f"{host.number} such hosts" if host.number > 1 else f"{host.ranks} ranks"
    return f"{name}\n{count if len(count) <= letters else count.replace(' such hosts', ' such')}"


def draw_host(axes, host, x, room):
    top = CELL * len(CELLS)
    for row, kind in enumerate(CELLS):
        load = host.cells.get(kind)
        if load is not None:
            box(axes, x, top - (row + 1) * CELL, HOST_WIDTH, CELL, load,
                f"{kind} {percent(load)}", 5.5)
    axes.add_patch(Rectangle((x - HOST_WIDTH / 2, 0), HOST_WIDTH, top, facecolor="none",
                             edgecolor=INK, linewidth=0.8, zorder=4))
    axes.text(x, -0.05, host_name(host, room), ha="center", va="top", fontsize=7.5, linespacing=1.2)
    return top


def draw_uplinks(axes, host, x, at, top):
    for switch, loads in host.uplinks.items():
        if switch not in at:
            continue
        room = min(0.08, HOST_WIDTH / len(loads))
        for i, load in enumerate(loads):
            apart = (i - (len(loads) - 1) / 2) * room
            draw_link(axes, (x + apart, top), (at[switch][0] + apart, at[switch][1]), load,
                      room=room if len(loads) > 1 else 1.0)
    loads = [load for loads in host.uplinks.values() for load in loads]
    if loads:
        label_link(axes, x, top + 0.14, max(loads))


def draw_case(axes, case, width):
    room = width / max(1, len(case.hosts))
    at = {}
    for level in set(case.switches.values()):
        names = [name for name, one in case.switches.items() if one == level]
        for name, x in places(names, width).items():
            at[name] = (x, CELL * len(CELLS) + level * LEVEL)
    for host, x in zip(case.hosts, places(range(len(case.hosts)), width).values()):
        draw_uplinks(axes, host, x, at, draw_host(axes, host, x, room))
    for link in case.links:
        (x, y), (to_x, to_y) = at[link.lower], at[link.upper]
        if y == to_y:  # switches that are neighbours
            draw_link(axes, (x, y + SWITCH_HEIGHT), (to_x, to_y + SWITCH_HEIGHT), link.load, -0.25)
        else:
            draw_link(axes, (x, y + SWITCH_HEIGHT), (to_x, to_y), link.load)
    draw_switches(axes, case, at, width)


def draw_switches(axes, case, at, width):
    for name, (x, y) in at.items():
        beside = sum(other[1] == y for other in at.values())
        room = min(1.6, width / beside - 0.1)
        letters = max(3, int(room / 0.065))
        box(axes, x, y, room, SWITCH_HEIGHT, None,
            name if len(name) <= letters else name[:letters - 2] + "..")
        loads = [link.load for link in case.links if link.lower == name]
        if loads:
            label_link(axes, x, y + SWITCH_HEIGHT + 0.14, max(loads))


def draw_sheet(axes, case, width):
    """A strip for each kind of link, from the top: the links in the order of the hosts."""
    y = height_of(case, True) - 0.75
    for kind, used in case.strips.items():
        step = -(-len(used) // MOST_CELLS)
        loads = [load for load, _ in used]
        cells = [max(loads[i:i + step]) for i in range(0, len(loads), step)]
        y -= 3 * STRIP
        axes.pcolormesh([i * width / len(cells) for i in range(len(cells) + 1)], [y, y + STRIP],
                        [cells], cmap=COLOURS, vmin=0, vmax=1, edgecolors="white", linewidth=0.2)
        most, name = max(used)
        words = (f"{kind} ({len(used)}): median {percent(statistics.median(loads))}, "
                 f"max {percent(most)}, {name}" + f"; {step} in a cell" * (step > 1))
        axes.text(0, y + STRIP + 0.05, textwrap.fill(words, int(width * 14)), fontsize=8)


def height_of(case, sheet):
    if sheet:
        return 0.75 + 3 * STRIP * len(case.strips)
    return 0.5 + CELL * len(CELLS) + LEVEL * max([0, *case.switches.values()]) + 0.7


def draw(cases, title, width=WIDTH):
    title = style.in_lines(title, width)
    most = max(len(case.hosts) for case in cases)
    sheet = any(case.others for case in cases) or width - LEFT - RIGHT < most * HOST_WIDTH
    # Two beside each other where the boxes of a case fit into half the width
    columns = 2 if most <= MOST_BESIDE and len(cases) > 1 and not sheet and width >= WIDTH else 1
    room, inches = (width - LEFT - RIGHT) / columns, max(height_of(one, sheet) for one in cases)
    top = TOP + style.extra_height(title) - GAP
    height = top + -(-len(cases) // columns) * (inches + GAP)
    figure = plt.figure(figsize=(width, round(height, 2)))
    figure.subplots_adjust(left=LEFT / width)
    for i, case in enumerate(cases):
        bottom = height - top - (i // columns + 1) * (inches + GAP)
        axes = figure.add_axes(((LEFT + i % columns * room) / width, bottom / height,
                                room / width, inches / height))
        axes.set(xlim=(0, room), ylim=(-0.5, inches - 0.5))  # a unit is an inch
        axes.axis("off")
        axes.text(0, inches - 0.7, case.name, fontweight="bold", fontsize=10)
        (draw_sheet if sheet else draw_case)(axes, case, room)
    bar = figure.add_axes((1 - 0.75 / width, 0.5 / height, 0.14 / width, min(2.2, height - 1.5)
                           / height))
    figure.colorbar(ScalarMappable(Normalize(0, 100), COLOURS), cax=bar)
    bar.set_ylabel("used, mean over the run (%)", fontsize=8)
    bar.spines["outline"].set_edgecolor(FAINT)
    style.title(figure, title)
    return figure


def figure_of(path, title=None, width=WIDTH):
    return draw(read_page(path), title or style.PLOTS["loads"]["title"], width)


if __name__ == "__main__":
    style.run(lambda: style.write("loads", figure_of, __doc__))
