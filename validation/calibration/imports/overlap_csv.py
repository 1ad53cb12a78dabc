# SPDX-License-Identifier: LGPL-2.1-or-later
"""A table of published overlaps: a non-blocking collective alone and beside a computation.

benchmark,library,hosts,ranks,bytes,overall_us,compute_us,pure_us,overlap_percent. A document is one
machine's: `ringscope import --mpi TEXT` names the library whose rows are read, where there are
several.
"""

from validation.calibration.imports import csv_table
from validation.calibration.imports.findings import Findings, Given, Layout
from validation.calibration.imports.osu import COLLECTIVES
from validation.calibration.imports.source import Source
from validation.calibration.imports.table_csv import positive_count

NAME = "overlap-csv"
COLUMNS = "benchmark,library,hosts,ranks,bytes,overall_us,compute_us,pure_us,overlap_percent"
MARKS = r"(?=.*\boverall_us\b)(?=.*\bpure_us\b)[\w ,]+$"
KNOWN = [f"osu_i{name}" for name in dict.fromkeys(COLLECTIVES.values())]


def rows_of_one(source: Source, rows: list, mpi: str) -> list:
    libraries = list(dict.fromkeys(row.cells["library"].text for row in rows))
    if not mpi and len(libraries) == 1:
        return rows
    if mpi not in libraries:
        source.fail(rows[0].line, f"one library, or --mpi with one of {', '.join(libraries)}",
                    f'"{mpi}"' if mpi else f"{len(libraries)}", rows[0].cells["library"].column)
    return [row for row in rows if row.cells["library"].text == mpi]


def parse(source: Source, given: Given) -> Findings:
    findings = Findings(where=csv_table.where_of(source))
    rows = rows_of_one(source, csv_table.read(source, COLUMNS), given.where.get("mpi", ""))
    findings.where["mpi"] = rows[0].cells["library"].text
    for row in rows:
        what = source.one_of(row.line, row.cells["benchmark"], KNOWN).removeprefix("osu_i")
        hosts, ranks = (positive_count(source, row, name) for name in ("hosts", "ranks"))
        times = [source.positive(row.line, row.cells[column], "time", source.microseconds)
                 for column in ("overall_us", "compute_us", "pure_us")]
        findings.add_overlapped(what, source.size(row), Layout(ranks, -(-ranks // hosts)), *times)
    return findings
