# SPDX-License-Identifier: LGPL-2.1-or-later
"""Which algorithm is best at which size, and from where to where a file may say so."""

import dataclasses
import math
from typing import NamedTuple

from common.groups import grouped
from common.programs import InputError
from validation.doctor.what_if import WhatIf
from validation.tune.formats.way import Choice, Way, choices
from validation.tune.ground import Ground

KEPT = 1.05  # a choice stays while the best is no faster than by this: fewer ranges


class Timed(NamedTuple):
    """A choice and its simulated time."""

    choice: Choice
    seconds: float
    chosen: str = ""  # by a library's own rule


@dataclasses.dataclass
class Row:
    """One size. `ranked`: what the library has, best first; `lacking`: the best of the others."""

    collective: str
    bytes: int
    own: Timed
    ranked: list
    lacking: Timed | None
    error: float
    entry: Timed | None = None  # goes into the file

    @property
    def best(self) -> Timed:
        """The library's own rule is one of its algorithms: it is never beaten by less."""
        return self.ranked[0] if self.ranked and self.ranked[0].seconds < self.own.seconds \
            else self.own

    def gain_of(self, timed: Timed) -> float:
        """Share of the own choice's time that goes away."""
        return 1 - timed.seconds / self.own.seconds

    def wins(self, timed: Timed) -> bool:
        """By more than the model's error, which is one of logarithms."""
        return math.log(self.own.seconds / timed.seconds) > self.error

    @property
    def would_be_faster(self) -> bool:
        """Whether one that the library lacks beats all that it has by more than the error."""
        if self.lacking is None:
            return False
        return math.log((self.entry or self.own).seconds / self.lacking.seconds) > self.error


class Range(NamedTuple):
    """Vectors of `first` to `last` bytes; without a choice the library decides."""

    first: int
    last: int | None
    choice: Choice | None


@dataclasses.dataclass
class Decided:
    """One collective: all sizes, and the ranges of the file."""

    collective: str
    rows: list
    ranges: list

    @property
    def entries(self) -> list:
        return [one for one in self.ranges if one.choice is not None]


def simulated(what_if: WhatIf, ground: Ground, asked: list, what: str) -> list:
    """The Timed of each (choice, bytes), None where the simulator refuses it. Sizes of one way go
    together, and one by one where that is refused."""
    scenarios = [ground.scenario(choice.job(size)) for choice, size in asked]
    found: list = [None] * len(asked)
    lots = list(grouped(range(len(asked)), lambda index: asked[index][0]).values())
    again = []
    for lot, answers in zip(lots, what_if.all([[scenarios[i] for i in lot] for lot in lots], what)):
        if answers is None:
            again += lot
            continue
        for index, answer in zip(lot, answers):
            found[index] = answer
    for index, answers in zip(again, what_if.all([[scenarios[i]] for i in again], what)):
        found[index] = answers[0] if answers else None
    return [answer and Timed(choice, answer["time_s"], answer["chosen"])
            for (choice, _), answer in zip(asked, found)]


def refused(what_if: WhatIf, ground: Ground, job: dict):
    """Raises what the simulator says of it."""
    place = f"{job['collective']} of {job['bytes']} on {ground.placement}"
    try:
        what_if.answers([ground.scenario(job)])
    except InputError as error:
        raise type(error)(f"{place}: {str(error).splitlines()[0]}") from None
    raise InputError(f"{place}: cannot be simulated within {what_if.limit}")


def rows_of(what_if: WhatIf, ground: Ground, own, ways: list, sizes: list) -> list:
    """`own`: Choice of the library's rule at a size; `ways`: the library's and others."""
    collective = own(sizes[0]).way.collective
    asked = [(own(size), size) for size in sizes]
    own_count = len(asked)
    for size in sizes:
        asked += [(one, size) for way in ways for one in choices(way, size)]
    found = simulated(what_if, ground, asked, f"simulating {collective}")
    rows = []
    for index, size in enumerate(sizes):
        if found[index] is None:
            refused(what_if, ground, asked[index][0].job(size))
        some = [one for one, (_, bytes_) in zip(found[own_count:], asked[own_count:])
                if one is not None and bytes_ == size]
        some.sort(key=lambda one: one.seconds)  # stable: of equal ones the first in the table
        rows.append(Row(collective, size, found[index],
                        [one for one in some if one.choice.way.says],
                        next((one for one in some if not one.choice.way.says), None),
                        ground.error_at(size)))
    return rows


def decide(rows: list):
    """Sets `entry` of every row where the win exceeds the error; the choice of the size before is
    kept while it is about as fast."""
    before = None
    for row in rows:
        row.entry = None
        if row.ranked and row.wins(row.ranked[0]):
            kept = next((one for one in row.ranked if one.choice == before), None)
            best = row.ranked[0]
            near = kept is not None and kept.seconds <= KEPT * best.seconds and row.wins(kept)
            row.entry = kept if near else best
        before = row.entry.choice if row.entry else None


def ranges_of(rows: list) -> list:
    """From the first to the last size at which it wins, both simulated; two entries that meet do so
    at the geometric mean of their sizes. All else is the library's."""
    found: list = []
    for i, row in enumerate(rows):
        choice = row.entry.choice if row.entry else None
        if found and found[-1].choice == choice:
            found[-1] = found[-1]._replace(last=row.bytes)
            continue
        first = row.bytes
        if found and choice is not None and found[-1].choice is not None:
            first = round(math.sqrt(rows[i - 1].bytes * row.bytes))
            found[-1] = found[-1]._replace(last=first - 1)
        found.append(Range(first, row.bytes, choice))
    return with_gaps([one for one in found if one.choice is not None])


def with_gaps(entries: list) -> list:
    """The library's own choice in between, before and behind."""
    found, next_byte = [], 0
    for one in entries:
        if one.first > next_byte:
            found.append(Range(next_byte, one.first - 1, None))
        found.append(one)
        next_byte = one.last + 1
    return found + [Range(next_byte, None, None)]


def decided(what_if: WhatIf, ground: Ground, own, ways: list, sizes: list) -> Decided:
    rows = rows_of(what_if, ground, own, ways, sizes)
    decide(rows)
    return Decided(rows[0].collective, rows, ranges_of(rows))


def others(listed: list, collective: str, known: list, ground: Ground) -> list:
    """Ways of the simulator's that the library lacks: of another name than all that it has."""
    names = {way.algorithm for way in known if way.collective == collective}
    return [Way(collective, one["algorithm"]) for one in listed
            if one["collective"] == collective and one["algorithm"] not in names
            and not one["selects"] and not one["algorithm"].startswith("channel_")
            and one["least_ranks"] <= ground.ranks and (ground.hosts == 1 or not one["one_host"])]
