# SPDX-License-Identifier: LGPL-2.1-or-later
"""Transfers of TransferBench (AMD): lines "Transfer NN" of a test, from one memory to another.

Times are means over the iterations; concurrent transfers are no copies alone
(src/client/Client.cpp, versions 1.1 to 1.6x).
"""

import re

from validation.calibration.imports.findings import Findings, Given
from validation.calibration.imports.source import Source

NAME = "transferbench"
MARKS = (r"\s*Transfer \d+\s*[|\u2502]\s*(?P<rate>[\d.]+) GB/s\s*[|\u2502]\s*(?P<ms>[\d.]+) ms\s*"
         r"[|\u2502]\s*(?P<bytes>\d+) bytes\s*[|\u2502]\s*(?P<from>\w+) -> (?P<by>[CGD])\w*\d+"
         r"(?:\.\d+)?:\d+ -> (?P<to>\w+)")
TRANSFER, TEST = re.compile(MARKS), re.compile(r"\s*Test \d+")
ALSO = rf"{MARKS}|{TEST.pattern}|\s*(Executor|Aggregate)\b"
END = re.compile(r"([A-Z])0*(\d+)$")
BY = {"C": "cpu", "G": "sm", "D": "ce"}


def add(source: Source, line: int, said, findings: Findings):
    ends, size = [END.match(said[name]) for name in ("from", "to")], int(said["bytes"])
    milliseconds = float(said["ms"])
    kinds = "".join("G" if one and one[1] in "GF" else "C" if one and one[1] in "CBU" else "?"
                    for one in ends)
    if kinds not in ("GG", "CG", "GC") or not milliseconds:
        findings.note(f"{source.path}:{line}: no copy from or to a GPU with a time: omitted")
        return
    if kinds == "GG":
        findings.add("probes", "gpu_peer_copy", milliseconds / 1e3, {
            "bytes": size, "from": int(ends[0][2]), "to": int(ends[1][2]), "access": "peer",
            "directions": 1, "by": BY[said["by"]]})
    else:
        findings.add("probes", "gpu_copy", milliseconds / 1e3, {
            "bytes": size, "gpu": int(ends[kinds.index("G")][2]), "memory": "pinned",
            "direction": "h2d" if kinds == "CG" else "d2h", "streams": 1, "by": BY[said["by"]]})


def parse(source: Source, _: Given) -> Findings:
    findings, tests = Findings(where={"program": "TransferBench"}), [[]]
    for line, text in enumerate(source.lines, 1):
        if TEST.match(text):
            tests.append([])
        elif said := TRANSFER.match(text):
            tests[-1].append((line, said))
    for test in filter(None, tests):
        if len(test) == 1:
            add(source, *test[0], findings)
        else:
            findings.note(f"{source.path}:{test[0][0]}: {len(test)} concurrent transfers: omitted")
    return findings.checked(source, "TransferBench")
