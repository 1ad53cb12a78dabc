# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tables of DeepSpeed's communication benchmarks (DeepSpeedExamples, benchmarks/communication).

They print a rank's input as ELEMENTSxBYTES, of which an allgather has one per rank (get_bw in
utils.py). Rows whose throughput contradicts size and time are passed over.
"""

import re

from validation.calibration.imports import collectives, launchers
from validation.calibration.imports.findings import Findings, Given
from validation.calibration.imports.source import Source

NAME = "deepspeed"
MARKS = r"\s*-+ Performance of (?P<name>\w+) on (?P<ranks>\d{1,6}) devices"
TITLE = re.compile(MARKS)
ROW = re.compile(r"\s*\d[\d.]*(?: [KMGT]?B)?\s+(?P<count>\d{1,12})x(?P<width>\d{1,2})\s+"
                 r"(?P<time>\d+\.\d+)(?: (?P<unit>[um])s)?\s+(?P<rate>\d+\.\d+)\s+\d[\d.]*\s*$")
HEADER = re.compile(r"\s*Size \(Bytes\) .*\(G([bB])ps\)")
ALSO = rf"{MARKS}|\s*Size \(Bytes\) "
NEAR, DIGIT = 0.1, 0.001  # of the throughput, which is in Gbps or GBps


def parse(source: Source, given: Given) -> Findings:
    findings, title, ranks, bits = Findings(where={"mpi": "NCCL"}), None, 0, 0
    for line, (text, said) in enumerate(zip(source.lines, launchers.said_by_line(source.lines)), 1):
        if begun := TITLE.match(text):
            title, bits = begun, 0
        elif header := HEADER.match(text):
            bits = 8 if header[1] == "b" else 1
        row = bits and title and ROW.match(text)
        if row and (what := collectives.named(title["name"])):
            ranks = int(title["ranks"])
            layout = launchers.layout_of(source, line, ranks, launchers.completed(given, said))
            size = int(row["count"]) * int(row["width"]) * (ranks if what == "allgather" else 1)
            seconds = float(row["time"] + ("e-3" if row["unit"] == "m" else "e-6"))
            rate = (2 if what == "allreduce" else 1) * size / max(seconds, 1e-9) / 1e9
            if abs(float(row["rate"]) - bits * rate) <= NEAR * bits * rate + DIGIT:
                source.used.add(line)
                findings.add_collective(what, size, layout, seconds)
            else:
                findings.note(f"{source.path}:{line}: the throughput contradicts size and time: "
                              "row omitted")
    findings.where["devices"] = ["GPU"] * ranks
    return findings
