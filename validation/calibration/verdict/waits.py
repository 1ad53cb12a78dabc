# SPDX-License-Identifier: LGPL-2.1-or-later
"""Waits for interrupted cores: what they add to the mean time of a collective.

Others take one of a host's cores for a share s of the time that the ranks have it (`detours` of a
library). Where a collective stands still as soon as one of its n hosts does, all of them are free
for the share (1 + s)^-n of the time, however long a detour takes: the mean time is (1 + s)^n times
that without. That is the most: a rank that waits does not miss its core. A median hardly sees rare
detours.
"""

from common.quantities import format_time, parse_quantity

TAKES = 1e-3  # s, where means alone tell of detours: these determine only the share


def is_mean(case) -> bool:
    """True if a mean over calls was published, and not their samples."""
    return not case.measured.samples_s


def factor(share: float, hosts: int) -> float:
    """On the mean time of a collective on that many hosts."""
    return (1 + share)**hosts


def with_detours(share: float, case) -> float:
    """Factor on what was measured of a case."""
    return factor(share, case.placement.used) if is_mean(case) else 1.0


def detours_of(share: float) -> dict:
    """As a library has them."""
    return {"every": format_time(TAKES / share), "takes": format_time(TAKES)}


def share_of(library) -> float:
    """Reverse of detours_of(); 0 where a library has none."""
    detours = library.get("detours") if isinstance(library, dict) else None
    return parse_quantity(detours["takes"]) / parse_quantity(detours["every"]) if detours else 0.0


def without_detours(library):
    """The library for simulations of what with_detours() lengthens."""
    return {key: value for key, value in library.items() if key != "detours"} \
        if isinstance(library, dict) else library


def states_detours(report) -> bool:
    """True if the scenario of a case has detours of its own, which replace those of its library."""
    noise = report["scenario"]["job"].get("noise") or {}
    return share_of(noise) > 0


def longer(report, library) -> float:
    """Factor of a library's detours on the time of a case, as `run --json` reports it."""
    return factor(share_of(library), len({rank["host"] for rank in report["ranks"]}))
