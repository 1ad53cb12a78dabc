# SPDX-License-Identifier: LGPL-2.1-or-later
"""The text output of nvbandwidth: matrices of copies from and to the host, and between GPUs.

Each copies its buffer of 512 MiB unless -b said otherwise, which the output does not repeat.
"""

import re

from validation.calibration.imports.findings import Findings, Given
from validation.calibration.imports.source import Source

NAME = "nvbandwidth"
RUNNING = re.compile(r"\s*Running (?P<test>\w+)\.")
SUM = re.compile(r"\s*SUM (?P<test>\w+) ")
TITLE = re.compile(r"\s*memcpy \w+ (?P<one>CPU|GPU)\(row\) (?P<way><?->?) (?P<other>CPU|GPU)"
                   r"\(column\) bandwidth \(GB/s\)")
MARKS = rf"\s*nvbandwidth Version|{TITLE.pattern}"  # logs may be quoted without their head
HEADER = re.compile(r"((?:\s+\d+)+)\s*$")
BYTES = 512 << 20
HOST = {"host_to_device_memcpy_ce": "h2d", "host_to_device_memcpy_sm": "h2d",
        "device_to_host_memcpy_ce": "d2h", "device_to_host_memcpy_sm": "d2h"}
PEERS = ("device_to_device_memcpy_read_ce", "device_to_device_memcpy_write_ce",
         "device_to_device_memcpy_read_sm", "device_to_device_memcpy_write_sm")


def rows(source: Source, title: int):
    """(row, column, its cell, line) of the matrix below `title`, without what was not measured."""
    if title >= len(source.lines) or not (header := HEADER.match(source.lines[title])):
        source.fail(min(title + 1, len(source.lines)), 'a header such as "0  1"', "none")
    columns = header[1].split()
    for line in range(title + 2, len(source.lines) + 1):
        cells = source.cells(line)
        if not cells or not cells[0].text.isdecimal():
            return
        if len(cells) != len(columns) + 1:
            source.fail(line, f"{len(columns) + 1} cells", str(len(cells)))
        for column, cell in zip(columns, cells[1:]):
            if cell.text != "N/A":
                yield int(cells[0].text), int(column), cell, line


def test_below(source: Source, title: int) -> str:
    """The test of a matrix without "Running NAME.": the line "SUM NAME value" below it names it."""
    for text in source.lines[title:]:
        if said := SUM.match(text):
            return said["test"]
        if TITLE.match(text) or RUNNING.match(text):
            break
    return ""


def parse(source: Source, _: Given) -> Findings:
    findings, test = Findings(where={"program": "nvbandwidth"}), ""
    for title, text in enumerate(source.lines, 1):
        if said := RUNNING.match(text):
            test = said["test"]
            if test not in HOST and test not in PEERS:
                findings.note(f"{source.path}:{title}: '{test}' is no test that this program "
                              "knows: it is left out")
        test = "" if SUM.match(text) else test
        said = TITLE.match(text)
        if not said:
            continue
        named = test or test_below(source, title)
        if named not in HOST and named not in PEERS:
            if test:
                continue  # with a note above
            reason = f"unknown test '{named}'" if named else \
                'no line "Running NAME." above, and no line "SUM NAME value" below'
            findings.note(f"{source.path}:{title}: {reason}: matrix omitted")
            continue
        for row, column, cell, line in rows(source, title):
            value = source.number(line, cell)
            if value == 0:
                continue
            seconds = BYTES / (value * 1e9)
            if named in HOST:
                findings.add("probes", "gpu_copy", seconds,
                             {"bytes": BYTES, "gpu": column, "direction": HOST[named],
                              "memory": "pinned", "streams": 1, "by": named[-2:]})
                continue
            ends = (row, column) if said["way"] == "->" else (column, row)
            findings.add("probes", "gpu_peer_copy", seconds,
                         {"bytes": BYTES, "from": ends[0], "to": ends[1], "access": "peer",
                          "directions": 1, "by": named.removeprefix("device_to_device_memcpy_")})
    return findings
