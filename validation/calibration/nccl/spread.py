# SPDX-License-Identifier: LGPL-2.1-or-later
"""Spread of measured over predicted times, from machines that the fit that predicts them omits."""

import math
from typing import NamedTuple

import numpy as np

from common.groups import grouped

MIB = 1 << 20
EDGES = (64 << 10, MIB, 64 * MIB, math.inf)  # largest sizes of bands, B
LONE = math.log(2)
FEW = 2  # machines
OUTSIDE = 0.1  # share of measured times outside; the program has it as `spread_percent`


class Residual(NamedTuple):
    """Logarithm of a measured time over a predicted one."""
    machine: str
    hosts: int
    size: int
    seconds: float
    error: float
    lone: bool = False  # between hosts of a network that no other machine has

    @property
    def band(self) -> int:
        return next(i for i, most in enumerate(EDGES) if self.size <= most)

    @property
    def kind(self) -> tuple:
        """Residuals of one kind give each other their spread."""
        return self.hosts > 1, self.lone, self.band


def width_of(some: list) -> float:
    """Logarithm by which measured times of another machine are above, or below, predicted ones:
    Student's t of the machines' mean squares. Errors of one machine go together, so that a machine
    counts once, and one degree of freedom is known of each."""
    from scipy import special  # slow to load, and the doctor needs no more than OUTSIDE
    machines = grouped(some, lambda one: one.machine)
    mean = np.mean([np.mean([one.error ** 2 for one in own]) for own in machines.values()])
    return float(special.stdtrit(len(machines), 1 - OUTSIDE / 2) * math.sqrt(mean))


def widths(residuals: list) -> dict:
    """{kind: width}; FEW machines tell too little of one size: theirs is of all sizes."""
    found = {}
    for kind in sorted({one.kind for one in residuals}):
        some = [one for one in residuals if one.kind == kind]
        if len({one.machine for one in some}) <= FEW:
            some = [one for one in residuals if one.kind[:2] == kind[:2]]
        found[kind] = width_of(some)
    return found


def omitted(residuals: list) -> list:
    """(residual, low, high) of each, logarithms, by widths without its machine; of a kind that no
    other machine has, by those of its sizes on any hosts."""
    found = []
    for name in sorted({one.machine for one in residuals}):
        others = [one for one in residuals if one.machine != name]
        known = widths(others)
        for one in residuals:
            if one.machine == name:
                wide = known.get(one.kind) or width_of([x for x in others if x.band == one.band])
                found.append((one, -wide, wide))
    return found


def score(seconds: float, low: float, high: float) -> float:
    """Interval score of an interval of seconds, over the measured time (Gneiting and Raftery,
    Strictly Proper Scoring Rules, 2007, equation 43)."""
    missed = max(0.0, low - seconds, seconds - high)
    return (high - low + 2 / OUTSIDE * missed) / seconds


def scores(found: list) -> tuple:
    """Mean interval scores: of these intervals, and of one constant factor that covers all but
    OUTSIDE of the residuals, chosen with hindsight."""
    factor = math.exp(np.quantile([abs(one.error) for one, _, _ in found], 1 - OUTSIDE))
    own, constant = [], []
    for one, low, high in found:
        predicted = one.seconds / math.exp(one.error)
        own.append(score(one.seconds, predicted * math.exp(low), predicted * math.exp(high)))
        constant.append(score(one.seconds, predicted / factor, predicted * factor))
    return float(np.mean(own)), float(np.mean(constant))


def coverage_text(found: list) -> str:
    """A line for each kind and for all: rows, share inside, median of upper over lower."""
    lines = ["  hosts, size        rows  inside  upper/lower"]
    names = ("to 64 KiB", "to 1 MiB", "to 64 MiB", "above")
    for kind in sorted({one.kind for one, _, _ in found}) + [None]:
        some = [item for item in found if kind is None or item[0].kind == kind]
        inside = np.mean([low <= one.error <= high for one, low, high in some])
        width = np.exp(np.median([high - low for _, low, high in some]))
        where = "" if kind is None else ("one", "several", "lone")[kind[0] + kind[1]]
        what = "all" if kind is None else f"{where}, {names[kind[2]]}"
        lines.append(f"  {what:18s} {len(some):4d}  {inside:6.1%}  {width:6.2f}")
    own, constant = scores(found)
    lines.append(f"  mean interval score {own:.2f}; of one constant factor with hindsight "
                 f"{constant:.2f}")
    return "\n".join(lines) + "\n"


def yaml_of(residuals: list, lone: bool = False, fitted: bool = True) -> str:
    """Key `spread` of a library, or of the transport of a lone network: as that of the others, but
    at least LONE, by which two runs of one such machine differ (p5's, with another plug-in); of a
    network without times: as that of lone networks omitted from the fit."""
    lines = ["spread:", f"  hosts: {max(one.hosts for one in residuals if one.lone == lone)}"]
    known = widths(residuals)
    for several, key in ((False, "one_host"), (True, "several_hosts"))[lone:]:
        lines.append(f"  {key}:")
        for i, most in enumerate(EDGES):
            wide = max(known[several, not fitted, i], LONE if lone else 0)
            up_to = "" if math.isinf(most) else f"up_to: {most >> 10} KiB, "
            lines.append(f"    - {{{up_to}low: {math.exp(-wide):.3g}, high: {math.exp(wide):.3g}}}")
    return "\n".join(lines) + "\n"
