# SPDX-License-Identifier: LGPL-2.1-or-later
"""One algorithm with its options, as the simulator runs it and as a library calls it."""

import dataclasses
import pathlib

from validation.csv_files import rows_of


@dataclasses.dataclass(frozen=True)
class Way:
    """`algorithm` and `options` are the simulator's, `says` and `number` the library's; a library
    without it has no `says`. `segments`: sizes that a file may ask for, 0 is the whole vector.
    `powers`: the library has it for powers of two of ranks alone."""

    collective: str
    algorithm: str
    says: str = ""
    number: int = 0
    options: tuple = ()
    segments: tuple = ()
    powers: bool = False

    @property
    def name(self) -> str:
        return self.says or self.algorithm


@dataclasses.dataclass(frozen=True)
class Choice:
    """A way with one of its segments; None where it has none to choose."""

    way: Way
    segment: int | None = None

    def job(self, size: int) -> dict:
        options = dict(self.way.options)
        if self.segment is not None:
            options["segment"] = f"{self.segment or max(size, 1)} B"
        return {"collective": self.way.collective, "algorithm": self.way.algorithm,
                "bytes": f"{size} B", "options": options}


def choices(way: Way, size: int) -> list:
    """A way with each of its segments that are shorter than the vector."""
    if not way.segments:
        return [Choice(way)]
    return [Choice(way, one) for one in way.segments if one < size]


def ways_of(library: str) -> tuple:
    """Ways of the library in ways.csv."""
    return tuple(Way(row["collective"], row["algorithm"], row["says"], int(row["number"] or 0),
                     segments=tuple(map(int, row["segments"].split())), powers=bool(row["powers"]))
                 for row in rows_of(pathlib.Path(__file__).with_name("ways.csv"))
                 if row["library"] == library)
