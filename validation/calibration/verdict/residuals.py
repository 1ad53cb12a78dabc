# SPDX-License-Identifier: LGPL-2.1-or-later
"""Errors of a fit on what it saw, and the fitted library slowed down by them, part by part."""

import math

from common.quantities import (COSTS, NUMBER, TIMES, format_bandwidth, format_cost,
                                   format_time, parse_quantity)

LARGE = 0.2  # median relative error of the fit on its own probes, above which warnings name it
MEDIAN = 1.645 / 0.6745  # from the median of errors to the 90th percentile, if they are normal
WHOLE = "collectives"
WAYS = {"self": " of a rank with itself", "shm": " in shared memory", "network": " between hosts"}
PROBES = {way: (f"ping_pong {way}", f"exchange {way}") for way in WAYS} | {
    "reduce_cost": ("reduction",), "copy_cost": ("copy",)}  # {part of a library: its probes}


def factor_of(errors: dict, *names: str) -> float:
    """Largest of the median factors between fit and measurement; 1 where nothing was measured.
    `errors`: calibration.errors, whose older form has relative errors alone."""
    found = [errors[name] for name in names if name in errors]
    return max((one.get("factor", 1 + one["median"]) for one in found), default=1.0)


def scaled(value, factor: float, digits: int = 9):
    """`value` of a library with its times and costs multiplied by `factor`."""
    if isinstance(value, list):
        return [scaled(one, factor, digits) for one in value]
    if isinstance(value, dict):
        return {key: one / factor if key == "goodput" else scaled(one, factor, digits)
                for key, one in value.items()}
    unit = (NUMBER.fullmatch(str(value)) or ("",) * 4)[3]
    if unit not in (*TIMES, *COSTS):
        return value
    return (format_time if unit in TIMES else format_cost)(parse_quantity(value) * factor, digits)


def slower(fitted) -> dict:
    """{part: what differs from the fit, as in calibration.draws, if the part is slower by the
    fit's own error}, of parts that have one."""
    found = {}
    for part, probes in PROBES.items():
        factor = factor_of(fitted.errors, *probes)
        if factor <= 1 or part not in fitted.library:
            continue
        library = {part: scaled(fitted.library[part], factor)}
        if "uncached" in fitted.library:
            library["uncached"] = [
                one | {key: scaled(one[key], factor) for key in {part} & set(one)}
                for one in fitted.library["uncached"]]
        found[part] = {"library": library}
        link = fitted.cluster.get("link")
        if part == "network" and isinstance(link, dict) and "bandwidth" in link:
            rate = parse_quantity(str(link["bandwidth"]), "bandwidth")
            found[part]["bandwidth"] = format_bandwidth(rate / factor, 9)
    return found


def whole(fitted) -> tuple:
    """Logs of factors (down, up), at least 0, between which 90 % of the fit's collectives are."""
    one = fitted.errors.get(WHOLE, {"median": 0.0})
    usual = factor_of(fitted.errors, WHOLE) ** MEDIAN
    return tuple(max(0.0, math.log(end)) for end in
                 (1 / one.get("low", 1 / usual), one.get("high", usual)))


def warnings(errors: dict, parts=tuple(PROBES)) -> list:
    """Large errors of the fit on its own probes of these parts and on its own collectives."""
    names = [name for part in parts for name in PROBES[part]] + [WHOLE]
    return [told(*name.partition(" ")[::2], errors[name]) for name in names
            if name in errors and errors[name]["median"] > LARGE]


def told(what: str, way: str, one: dict) -> str:
    return (f"the fit is off by {one['median']:.0%} (median of {one['points']} points) on its own "
            f"{what}{WAYS.get(way, '')}: predictions there are off as much")
