# SPDX-License-Identifier: LGPL-2.1-or-later
"""A table of published times: benchmark,nodes,ranks_per_node,bytes,median_us; or of rates, with
median_MBps in place of the time (osu_bw). Least and most of the runs may stand beside.

Benchmarks go by the names of OSU's programs.
"""

from validation.arguments import MOST_RANKS
from validation.calibration.imports import csv_table
from validation.calibration.imports.findings import Findings, Given, Layout
from validation.calibration.imports.osu import COLLECTIVES, WINDOW
from validation.calibration.imports.source import Row, Source

NAME = "csv"
WHO = "benchmark,nodes,ranks_per_node,bytes,"
MARKS = r"(?=.*\bbenchmark\b)(?=.*\bmedian_\w)[\w ,]+$"

TIMED = ["osu_latency"] + [f"osu_{name}" for name in dict.fromkeys(COLLECTIVES.values())]


def positive_count(source: Source, row: Row, column: str) -> int:
    value = source.count(row.line, row.cells[column])
    if not 1 <= value <= MOST_RANKS:
        source.fail(row.line, f"a number of 1 to {MOST_RANKS}", str(value),
                    row.cells[column].column)
    return value


def way_of(nodes: int) -> str:
    return "network" if nodes > 1 else "shm"


def add_rate(source: Source, row: Row, findings: Findings):
    source.one_of(row.line, row.cells["benchmark"], ["osu_bw"])
    size = source.size(row)
    value = source.positive(row.line, row.cells["median_MBps"], "rate")
    findings.add("probes", "stream", size / (value * 1e6),
                 {"bytes": size, "way": way_of(positive_count(source, row, "nodes")), "pairs": 1,
                  "directions": 1, "window": WINDOW})


def add_time(source: Source, row: Row, findings: Findings):
    benchmark = source.one_of(row.line, row.cells["benchmark"], TIMED)
    nodes, per_node = (positive_count(source, row, name) for name in ("nodes", "ranks_per_node"))
    size = source.size(row)
    seconds = source.positive(row.line, row.cells["median_us"], "time", source.microseconds)
    extra = {f"{name}_s": source.microseconds(row.line, row.cells[f"{name}_us"])
             for name in ("least", "most") if f"{name}_us" in row.cells}
    if benchmark == "osu_latency":
        findings.add("probes", "ping_pong", seconds, {"bytes": size, "way": way_of(nodes)}, extra)
    else:
        findings.add_collective(benchmark.removeprefix("osu_"), size,
                                Layout(nodes * per_node, per_node), seconds, extra)


def parse(source: Source, _: Given) -> Findings:
    findings = Findings(where=csv_table.where_of(source))
    rates = "median_MBps" in csv_table.header_of(source)
    unit, add = ("MBps", add_rate) if rates else ("us", add_time)
    for row in csv_table.read(source, f"{WHO}median_{unit}", f"least_{unit},most_{unit},runs"):
        add(source, row, findings)
    return findings
