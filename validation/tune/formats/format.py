# SPDX-License-Identifier: LGPL-2.1-or-later
"""A library and the file that tells it which algorithm to take."""

import dataclasses
from typing import Callable

from validation.tune.formats.way import Choice, Way


@dataclasses.dataclass(frozen=True)
class Target:
    """Who the file is for: communicators of so many ranks on so many hosts."""

    ranks: int
    hosts: int
    said: str  # one line: of which cluster, placement and library


@dataclasses.dataclass(frozen=True)
class Format:
    """`own(collective)(ranks, bytes)` is the Choice of the library's rule. `alike`: algorithms of
    the simulator that are one of the library's in another hand; `complete`: that it lacks others is
    not told, they run on other machines. `write(decided, target)` gives the
    file; `use(path)` the lines that make the library read it."""

    name: str
    title: str
    about: str
    ways: tuple
    own: dict
    write: Callable
    use: Callable
    alike: tuple = ()
    complete: bool = False
    notes: dict = dataclasses.field(default_factory=dict)

    @property
    def collectives(self) -> list:
        return list(self.own)

    def ways_of(self, collective: str, ranks: int) -> list:
        return [way for way in self.ways if way.collective == collective
                and not (way.powers and ranks & (ranks - 1))]


def rule(collective: str, algorithm: str) -> Callable:
    """A library's rule that is one of the simulator's algorithms."""
    choice = Choice(Way(collective, algorithm))
    return lambda _ranks, _bytes: choice
