# SPDX-License-Identifier: LGPL-2.1-or-later
"""Spread of measured over predicted times, from machines that the fit that predicts them omits."""

import math
from dataclasses import dataclass

import numpy as np

MIB = 1 << 20
EDGES = (64 << 10, MIB, 64 * MIB, math.inf)  # largest sizes of bands, B
LONE = math.log(2)
OUTSIDE = 0.1  # share of measured times outside; the program has it as `spread_percent`


@dataclass(frozen=True)
class Residual:
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


def quantile(values, weights, share: float) -> float:
    """The value below which this share of the weights is, by linear interpolation."""
    order = np.argsort(values)
    places = np.cumsum(weights[order]) - weights[order] / 2
    return float(np.interp(share * weights.sum(), places, values[order]))


def band_of(some: list) -> tuple:
    """Logarithms between which all but OUTSIDE of these residuals are. Each machine has as much
    weight as any other."""
    values = np.array([one.error for one in some])
    rows = {name: sum(one.machine == name for one in some) for name in {x.machine for x in some}}
    weights = np.array([1 / rows[one.machine] for one in some])
    return quantile(values, weights, OUTSIDE / 2), quantile(values, weights, 1 - OUTSIDE / 2)


def plain_bands(residuals: list) -> dict:
    """Few machines are alone on their network: their bands are of all machines of several hosts."""
    return {kind: band_of([one for one in residuals if one.kind == kind
                           or kind[1] and one.kind[::2] == kind[::2]])
            for kind in sorted({one.kind for one in residuals})}


def bands(residuals: list) -> dict:
    """{kind: (low, high)}, logarithms: as wide as it takes for the bands of all machines but one to
    have their share of that one's residuals."""
    found = omitted(residuals, plain_bands)
    wider = {where: widening([item for item in found if item[0].kind[:2] == where])
             for where in {one.kind[:2] for one in residuals}}
    return {kind: (low - wider[kind[:2]][0], high + wider[kind[:2]][1])
            for kind, (low, high) in plain_bands(residuals).items()}


def widening(found: list) -> tuple:
    """By how much lower, and higher, ends have all but a half of OUTSIDE of the residuals inside,
    each alone (Romano, Patterson, Candes: Conformalized Quantile Regression, 2019, theorem 2)."""
    below, above = ([max(0.0, low - one.error) for one, low, _ in found],
                    [max(0.0, one.error - high) for one, _, high in found])
    return tuple(float(np.quantile(end, 1 - OUTSIDE / 2)) if found else 0.0
                 for end in (below, above))


def omitted(residuals: list, bands_of=bands) -> list:
    """(residual, low, high) of each, by bands without its machine; of a kind that no other machine
    has, by those of its sizes on any hosts."""
    found = []
    for name in sorted({one.machine for one in residuals}):
        others = [one for one in residuals if one.machine != name]
        known = bands_of(others)
        for one in residuals:
            if one.machine == name:
                low, high = known.get(one.kind) or band_of([x for x in others
                                                            if x.band == one.band])
                found.append((one, low, high))
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
    lines = ["spread:"]
    known = bands(residuals) if fitted else plain_bands(residuals)
    for several, key in ((False, "one_host"), (True, "several_hosts"))[lone:]:
        lines.append(f"  {key}:")
        for i, most in enumerate(EDGES):
            low, high = known[several, not fitted, i]
            if lone:
                low, high = min(low, -LONE), max(high, LONE)
            up_to = "" if math.isinf(most) else f"up_to: {most >> 10} KiB, "
            lines.append(f"    - {{{up_to}low: {math.exp(low):.3g}, high: {math.exp(high):.3g}}}")
    return "\n".join(lines) + "\n"
