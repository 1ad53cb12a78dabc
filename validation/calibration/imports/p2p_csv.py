# SPDX-License-Identifier: LGPL-2.1-or-later
"""The matrices of p2pBandwidthLatencyTest (CUDA samples) as a table: metric,src,dst,value.

Latencies are of copies of 16 bytes one after the other; bandwidths of five copies of 40 MB, and on
the diagonal they count what is read and what is written (the sample's source).
"""

from validation.calibration.imports import csv_table, p2p_matrices
from validation.calibration.imports.findings import Findings, Given
from validation.calibration.imports.p2p_matrices import COPIES, LARGE, SMALL
from validation.calibration.imports.source import Source

NAME = "p2p-csv"
COLUMNS = "metric,src,dst,value"
MARKS = r"(?=.*\bmetric\b)(?=.*\bsrc\b)[\w ,]+$"


def parse(source: Source, _: Given) -> Findings:
    findings, own = Findings(where=csv_table.where_of(source)), {}
    for row in csv_table.read(source, COLUMNS):
        metric = source.one_of(row.line, row.cells["metric"], ("latency_us", "bandwidth_gb_per_s"))
        devices = {name: source.count(row.line, row.cells[column], "a device")
                   for name, column in (("from", "src"), ("to", "dst"))}
        value = row.cells["value"]
        number = source.positive(row.line, value, "number")
        inside = devices["from"] == devices["to"]
        parameters = {"way": "self" if inside else "network"} | devices
        if metric == "latency_us":
            findings.add("probes", "ping_pong", source.microseconds(row.line, value),
                         {"bytes": SMALL} | parameters)
        else:
            if inside:
                own[devices["from"]] = number
            findings.add("probes", "stream", LARGE * (2 if inside else 1) / (number * 1e9),
                         {"bytes": LARGE, "pairs": 1, "directions": 1, "window": COPIES} |
                         parameters)
    for note in p2p_matrices.odd_devices(source.path, own):
        findings.note(note)
    return findings
