# SPDX-License-Identifier: LGPL-2.1-or-later
"""Bus bandwidths of NCCL as people quote them:
collective,algorithm,hosts,ranks_per_host,bytes,busbw_GBps; the algorithm is auto, or was forced.

The factor between time and bus bandwidth is that of nccl-tests (PERFORMANCE.md).
"""

from validation.arguments import MOST_RANKS
from validation.calibration.imports import csv_table
from validation.calibration.imports.findings import Findings, Given, Layout
from validation.calibration.imports.source import Source

NAME = "rates-csv"
COLUMNS = "collective,algorithm,hosts,ranks_per_host,bytes,busbw_GBps"
MARKS = r"(?=.*\bcollective\b)(?=.*\bbusbw_GBps\b)[\w ,]+$"

TWICE, ONCE = ("allreduce",), ("allgather", "reduce_scatter", "alltoall")
PLAIN = ("broadcast", "reduce")
ALGORITHMS = ("auto", "ring", "tree")


def factor(collective: str, ranks: int) -> float:
    if collective in PLAIN:
        return 1.0
    return (2 if collective in TWICE else 1) * (ranks - 1) / ranks


def parse(source: Source, _: Given) -> Findings:
    where = {"mpi": "NCCL"} | csv_table.where_of(source)
    findings = Findings(where=where)
    for row in csv_table.read(source, COLUMNS):
        name = source.one_of(row.line, row.cells["collective"], TWICE + ONCE + PLAIN)
        hosts, each = (source.count(row.line, row.cells[column]) for column in
                       ("hosts", "ranks_per_host"))
        if not 2 <= hosts * each <= MOST_RANKS:
            source.fail(row.line, f"2 to {MOST_RANKS} ranks", str(hosts * each))
        size = source.size(row)
        rate = source.number(row.line, row.cells["busbw_GBps"]) * 1e9
        if rate <= 0 or size == 0:
            source.fail(row.line, "a size and a bandwidth above 0", "0")
        seconds = factor(name, hosts * each) * size / rate
        algorithm = source.one_of(row.line, row.cells["algorithm"], ALGORITHMS)
        auto = algorithm == "auto"
        findings.add_collective(name, size, Layout(hosts * each, each), seconds,
                                {} if auto else {"options": {"algorithm": algorithm}},
                                **({} if auto else {"forced": algorithm}))
    return findings
