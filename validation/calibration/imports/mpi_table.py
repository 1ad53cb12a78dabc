# SPDX-License-Identifier: LGPL-2.1-or-later
"""A table of a benchmark of MPI: its test, its columns, and its numbers above 0."""

from validation.calibration.imports.findings import Findings
from validation.calibration.imports.source import Row, Source, value_of

# Collectives of MPI as benchmarks print them
COLLECTIVES = {name.capitalize(): name for name in (
    "allgather", "allgatherv", "allreduce", "alltoall", "alltoallv", "barrier", "bcast", "gather",
    "gatherv", "reduce", "reduce_scatter", "scatter", "scatterv")}


class MpiTable:
    """`title` and `header`: lines. A subclass has the names of columns whose numbers are no times
    in `COUNTED`, and of the one with sizes in `SIZE`."""

    COUNTED: tuple = ()
    SIZE = ""

    def __init__(self, source: Source, title: int, test: str, header: int, columns: list):
        self.source, self.title, self.test = source, title, test
        self.header, self.columns, self.next_size = header, columns, 0

    def require(self, *columns: str):
        for column in columns:
            if column not in self.columns:
                self.source.fail(self.header, f"the column {column} of '{self.test}'",
                                 ", ".join(self.columns))

    def check_order(self, row: Row, *columns: str):
        """Least, mean and most of a row; another order is that of another table's columns."""
        cells = [row.cells[column].text for column in columns if column in row.cells]
        values = [value for value in map(value_of, cells) if value is not None]
        if values != sorted(values):
            self.source.fail(row.line, f"{' <= '.join(columns)}", ", ".join(cells))

    def check_size(self, row: Row):
        """Sizes of a table rise; another order is that of two tables in one."""
        size = self.size(row) or 0
        if size < self.next_size:
            self.source.fail(row.line, f"a size above {self.next_size - 1}, as of one table",
                             str(size))
        self.next_size = size + 1 if self.SIZE in row.cells else 0

    def positive(self, row: Row, column: str, findings: Findings):
        """The number (of a time: in seconds), or None where its few digits are all zero."""
        read = self.source.number if column in self.COUNTED else self.source.microseconds
        value = read(row.line, row.cells[column])
        if value == 0:
            findings.note(f"{self.source.path}:{row.line}: 0 is less than what the digits can "
                          "show: row omitted")
        return value or None

    def size(self, row: Row):
        """Bytes of the row; None in a table without sizes."""
        return self.source.size(row, self.SIZE) if self.SIZE in row.cells else None
