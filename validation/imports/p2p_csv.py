# SPDX-License-Identifier: LGPL-2.1-or-later
"""The matrices of p2pBandwidthLatencyTest (CUDA samples) as a table: metric,src,dst,value.

Latencies are of copies of 16 bytes one after the other; bandwidths of five copies of 40 MB, and on
the diagonal they count what is read and what is written (the sample's source).
"""

from validation.imports import csv_table, p2p_matrices
from validation.imports.findings import Findings, Given
from validation.imports.source import Source

NAME = "p2p-csv"
COLUMNS = "metric,src,dst,value"
MARKS = r"(?=.*\bmetric\b)(?=.*\bsrc\b)[\w ,]+$"

METRICS = ("latency_us", "bandwidth_gb_per_s")
SMALL, LARGE, COPIES = 16, 40_000_000, 5


def parse(source: Source, _: Given) -> Findings:
    findings, own = Findings(where=csv_table.where_of(source)), {}
    for row in csv_table.read(source, COLUMNS):
        metric = row.cells["metric"]
        if metric.text not in METRICS:
            source.fail(row.line, f"one of {', '.join(METRICS)}", f'"{metric.text}"',
                        metric.column)
        devices = {name: source.count(row.line, row.cells[column], "a device")
                   for name, column in (("from", "src"), ("to", "dst"))}
        value = row.cells["value"]
        if source.number(row.line, value) == 0:
            source.fail(row.line, "a positive number", "0", value.column)
        inside = devices["from"] == devices["to"]
        parameters = {"way": "self" if inside else "network"} | devices
        if metric.text == "latency_us":
            findings.add("probes", "ping_pong", source.microseconds(row.line, value),
                         {"bytes": SMALL} | parameters)
        else:
            rate = source.number(row.line, value) * 1e9
            if inside:
                own[devices["from"]] = rate / 1e9
            findings.add("probes", "stream", LARGE * (2 if inside else 1) / rate,
                         {"bytes": LARGE, "pairs": 1, "directions": 1, "window": COPIES} |
                         parameters)
    for note in p2p_matrices.odd_devices(source.path, own):
        findings.note(note)
    return findings
