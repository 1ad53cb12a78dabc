# SPDX-License-Identifier: LGPL-2.1-or-later
"""The text output of nvbandwidth: matrices of copies from and to the host, and between GPUs.

Each copies its buffer of 512 MiB, unless the line of the command has -b, in MiB.
"""

import re

from validation.calibration.imports import json_text
from validation.calibration.imports.findings import Findings, Given
from validation.calibration.imports.source import Source, matrix
from validation.yaml_files import tables_of

NAME = "nvbandwidth"
BYTES = 512 << 20
LINES, HOST, PEERS = tables_of(__file__).values()
RUNNING, SUM, TITLE, HEADER, JSON, BEGIN, BUFFER = map(re.compile, LINES.values())
# Logs may be quoted without their head.
MARKS = rf"\s*nvbandwidth Version|{TITLE.pattern}|{JSON.pattern}"
ALSO = rf"{MARKS}|\s*(Running \w+\.|SUM \w+ )"


def test_below(source: Source, title: int) -> str:
    """The test of a matrix without "Running NAME.": the line "SUM NAME value" below it names it."""
    for text in source.lines[title:]:
        if said := SUM.match(text):
            return said["test"]
        if TITLE.match(text) or RUNNING.match(text):
            break
    return ""


def buffer_at(source: Source, line: int) -> int:
    """Bytes that the run at the line copies: as the command above its version says."""
    runs = BEGIN.split("\n".join(source.lines[:line]))
    said = BUFFER.findall(runs[-2]) if len(runs) > 1 else ()
    return int(said[-1]) << 20 if said else BYTES


def parse(source: Source, _: Given) -> Findings:
    findings = Findings(where={"program": "nvbandwidth"})
    if any(map(JSON.match, source.lines)):
        json_text.read(source, "nvbandwidth", "testcases as nvbandwidth -j writes them",
                       lambda line, told: add_testcases(source, line, told, findings))
    test = ""
    for title, text in enumerate(source.lines, 1):
        if said := RUNNING.match(text):
            test = said["test"]
            if test not in HOST and test not in PEERS:
                findings.note(f"{source.path}:{title}: unknown test '{test}': omitted")
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
        cells = matrix(source, title, HEADER, "0  1")
        for row, column, cell, line in cells if named in PEERS else ():
            if row == column:  # of a matrix of the host
                source.fail(line, "N/A from a GPU to itself", cell.text, cell.column)
        add_copies(findings, named, said["way"], buffer_at(source, title), [
            (row, column, source.number(line, cell)) for row, column, cell, line in cells])
    return findings


def add_testcases(source: Source, line: int, told: dict, findings: Findings):
    for case in told["nvbandwidth"]["testcases"]:
        said = TITLE.match(case.get("bandwidth_description", ""))
        if not said or case["name"] not in HOST and case["name"] not in PEERS:
            findings.note(f"{source.path}:{line}: unknown test '{case['name']}' or no matrix: "
                          f"omitted ({case['status']})")
            continue
        add_copies(findings, case["name"], said["way"], buffer_at(source, line), [
            (row, column, float(value)) for row, cells in enumerate(case["bandwidth_matrix"])
            for column, value in enumerate(cells) if value != "N/A"])


def add_copies(findings: Findings, test: str, way: str, size: int, cells: list):
    """`cells`: (row, column, GB/s); 0 was not measured."""
    for row, column, value in filter(lambda cell: cell[2], cells):
        ends = {"h2d": (None, column), "d2h": (column, None)}.get(HOST.get(test)) or (
            (row, column) if way == "->" else (column, row))
        findings.add_copy(size / (value * 1e9), size, ends, test[-2:] if test in HOST else
                          test.removeprefix("device_to_device_memcpy_"))
