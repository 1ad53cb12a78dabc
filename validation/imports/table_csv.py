"""A table of published times: benchmark,nodes,ranks_per_node,bytes,median_us.

Benchmarks go by the names of OSU's programs; only those that measure a time are known.
"""

from validation.imports import csv_table
from validation.imports.findings import Findings, Given, Layout
from validation.imports.osu import COLLECTIVES
from validation.imports.source import Row, Source

NAME = "csv"
COLUMNS = "benchmark,nodes,ranks_per_node,bytes,median_us"
MARKS = r"(?=.*\bbenchmark\b)(?=.*\bmedian_\w)[\w ,]+$"

MOST_RANKS = 1_000_000
KNOWN = ["osu_latency"] + [f"osu_{name}" for name in dict.fromkeys(COLLECTIVES.values())]


def positive_count(source: Source, row: Row, column: str) -> int:
    value = source.count(row.line, row.cells[column])
    if not 1 <= value <= MOST_RANKS:
        source.fail(row.line, f"a number of 1 to {MOST_RANKS}", str(value),
                    row.cells[column].column)
    return value


def parse(source: Source, _: Given) -> Findings:
    findings = Findings(where=csv_table.where_of(source))
    for row in csv_table.read(source, COLUMNS):
        benchmark = row.cells["benchmark"]
        if benchmark.text not in KNOWN:
            source.fail(row.line, f"one of {', '.join(KNOWN)}", f'"{benchmark.text}"',
                        benchmark.column)
        nodes, per_node = (positive_count(source, row, name) for name in
                           ("nodes", "ranks_per_node"))
        size = source.count(row.line, row.cells["bytes"], "a size in bytes")
        seconds = source.microseconds(row.line, row.cells["median_us"])
        if seconds == 0:
            source.fail(row.line, "a positive time", "0", row.cells["median_us"].column)
        if benchmark.text == "osu_latency":
            findings.add("probes", "ping_pong", seconds,
                         {"bytes": size, "way": "network" if nodes > 1 else "shm"})
        else:
            findings.add_collective(benchmark.text.removeprefix("osu_"), size,
                                    Layout(nodes * per_node, per_node), seconds)
    return findings
