# SPDX-License-Identifier: LGPL-2.1-or-later
"""The rows of validation/published/overlap: a collective alone, a computation, and both at once."""

from typing import NamedTuple

from validation import PUBLISHED
from validation.csv_files import rows_of

FILE = PUBLISHED / "overlap" / "osu-iallreduce-overlap.csv"
DISTURBED = 2.0  # times pure and compute together: more of it is none of the two


class Row(NamedTuple):
    """A measured collective; `overall_s` is what is predicted."""

    collective: str
    build: str
    hosts: int
    ranks: int
    size: int
    overall_s: float
    compute_s: float
    pure_s: float

    @property
    def disturbed(self) -> bool:
        return self.overall_s > DISTURBED * (self.compute_s + self.pure_s)


def row_of(cells: dict) -> Row:
    hosts, ranks, size = (int(cells[name]) for name in ("hosts", "ranks", "bytes"))
    times = (float(cells[f"{name}_us"]) * 1e-6 for name in ("overall", "compute", "pure"))
    return Row(cells["benchmark"].removeprefix("osu_i"), cells["library"], hosts, ranks, size,
               *times)


def rows() -> list:
    return [row_of(cells) for cells in rows_of(FILE)]
