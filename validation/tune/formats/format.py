# SPDX-License-Identifier: LGPL-2.1-or-later
"""A library and the file that tells it which algorithm to take."""

import dataclasses
from typing import Callable, Sequence

from validation.tune.formats.way import Choice, Way
from validation.yaml_files import tables_of

TEXTS = tables_of(__file__)


@dataclasses.dataclass(frozen=True)
class Target:
    """Who the file is for: communicators of so many ranks on so many hosts."""

    ranks: int
    hosts: int
    said: str  # one line: of which cluster, placement and library


@dataclasses.dataclass(frozen=True)
class Format:
    """`own(collective)(ranks, bytes)` is the Choice of the library's rule, `write(decided, target)`
    gives the file. For all else see format.yaml."""

    name: str
    ways: tuple
    own: dict
    write: Callable
    title: str
    about: str
    uses: Sequence[str]
    alike: Sequence[str] = ()
    complete: bool = False
    notes: dict = dataclasses.field(default_factory=dict)

    @property
    def collectives(self) -> list:
        return list(self.own)

    def use(self, path: str) -> list:
        """Lines that make the library read the file."""
        return [line.format(path=path) for line in self.uses]

    def ways_of(self, collective: str, ranks: int) -> list:
        return [way for way in self.ways if way.collective == collective
                and not (way.powers and ranks & (ranks - 1))]


def format_of(name: str, ways: tuple, own: dict, write: Callable) -> Format:
    """The format with the texts that format.yaml has for it."""
    return Format(name, ways, own, write, **TEXTS[name])


def rule(collective: str, algorithm: str) -> Callable:
    """A library's rule that is one of the simulator's algorithms."""
    choice = Choice(Way(collective, algorithm))
    return lambda _ranks, _bytes: choice
