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
GPU = re.compile(r"[GF]0*(\d+)$")
HOST = re.compile(r"[CBU]\d+$")
BY = {"C": "cpu", "G": "sm", "D": "ce"}


def ends_of(said):
    """The GPUs, None for the host; nothing where neither is a GPU or one is no single memory."""
    names = [said["from"], said["to"]]
    gpus = [GPU.match(name) for name in names]
    if any(gpus) and all(gpu or HOST.match(name) for gpu, name in zip(gpus, names)):
        return tuple(gpu and int(gpu[1]) for gpu in gpus)
    return ()


def parse(source: Source, _: Given) -> Findings:
    findings, tests = Findings(where={"program": "TransferBench"}), [[]]
    for line, text in enumerate(source.lines, 1):
        if TEST.match(text):
            tests.append([])
        elif said := TRANSFER.match(text):
            tests[-1].append((line, said))
    for (line, said), *others in filter(None, tests):
        ends, seconds = ends_of(said), float(said["ms"]) / 1e3
        if others or not ends or not seconds:
            reason = f"{1 + len(others)} concurrent transfers" if others else \
                "no copy from or to a GPU with a time"
            findings.note(f"{source.path}:{line}: {reason}: omitted")
        else:
            findings.add_copy(seconds, int(said["bytes"]), ends, BY[said["by"]])
    return findings
