# SPDX-License-Identifier: LGPL-2.1-or-later
"""Rows of validation/published, told apart by SPLIT.md: those that a fit may see, and others."""

import pathlib
import re
from dataclasses import dataclass

from validation import PUBLISHED
from validation.calibration.imports import collectives
from validation.csv_files import rows_of

COLUMNS_FROM_TIME = 8  # of nccl-tests: out of place and in place, four each
EVERY = 4  # row of a curve that is fitted
MIB = 1 << 20
# Labels of launchers before each line.
LABEL = re.compile(r"^(\[\d+,\d+\]<stdout>:|\d+: ?)")


@dataclass(frozen=True)
class Row:
    """A measured collective of one host, or of several."""
    ranks: int
    size: int
    seconds: float
    protocol: str = ""  # forced; else the library's choice
    channels: int = 0
    sms: int = 0  # 0: all
    collective: str = "allreduce"
    hosts: int = 1
    fitted: bool = False
    gpus_per_thread: int = 1

    @property
    def forced(self) -> bool:
        return bool(self.protocol)


def table(name) -> list:
    return rows_of(PUBLISHED / "nccl" / name)


def a100_channels() -> list:
    """All of them are fitted. 108 SMs are the whole GPU."""
    return [Row(int(row["width"]), int(row["bytes"]), 1e-6 * float(row["event_us"]),
                row["protocol"], int(row["channels"]),
                0 if row["granted_sms"] == "108" else int(row["granted_sms"]), fitted=True)
            for row in table("a100-channels.csv")]


def a100_auto(ranks: int) -> list:
    rows = table(f"a100-{ranks}-allreduce-auto.csv")
    return [Row(ranks, int(row["bytes"]), 1e-6 * float(row["median_us"]), fitted=i % EVERY == 0)
            for i, row in enumerate(rows)]


def a100_protocols() -> dict:
    """{(protocol, ranks): rows}; of each curve every fourth sets the harness off."""
    curves = {}
    for row in table("a100-allreduce-protocols.csv"):
        curve = curves.setdefault((row["protocol"], int(row["width"])), [])
        curve.append(Row(int(row["width"]), int(row["bytes"]), 1e-6 * float(row["median_us"]),
                         row["protocol"], fitted=len(curve) % EVERY == 0))
    return curves


def runs_of(path: pathlib.Path, collective: str = "allreduce") -> list:
    """(collective, [(bytes, seconds)]) of each run of nccl-tests in a log, out of place; that
    collective where no line names one."""
    runs = []
    for line in (LABEL.sub("", line) for line in path.read_text(encoding="utf-8").splitlines()):
        cells = line.split()
        if "Collective test starting" in line:
            collective = collectives.named(cells[-1])
        if "(B)" in line:
            runs.append((collective, []))
        if not runs or len(cells) < 9 or not cells[0].isdigit() or not cells[1].isdigit():
            continue
        seconds = 1e-6 * float(cells[len(cells) - COLUMNS_FROM_TIME])
        if int(cells[0]) > 0:
            runs[-1][1].append((int(cells[0]), seconds))
    return runs


def gpus_per_thread(path: pathlib.Path) -> int:
    """GPUs of a thread in a log of nccl-tests, its nGpus; 1 where it has no such line."""
    header = re.search(r"# nThread \d+ nGpus (\d+)", path.read_text(encoding="utf-8"))
    return int(header.group(1)) if header else 1


def log(name: str, ranks: int, hosts: int, fitted: tuple) -> list:
    """Rows of a log; those of `fitted` sizes of its first run, an allreduce, are."""
    rows, each = [], gpus_per_thread(PUBLISHED / name)
    for i, (collective, points) in enumerate(runs_of(PUBLISHED / name)):
        rows += [Row(ranks, size, seconds, collective=collective, hosts=hosts,
                     fitted=i == 0 and size in fitted, gpus_per_thread=each)
                 for size, seconds in points]
    return rows


def v100_pcie() -> list:
    return log("nccl-tests-allreduce-4xV100-pcie.log", 4, 1, (8, MIB, 128 * MIB))


def h100_host() -> list:
    return (log("nccl/h100-1-host-all_reduce.log", 4, 1, (4, MIB, 128 * MIB)) +
            log("nccl/h100-1-host-all_gather_perf.log", 4, 1, ()))


def h100_hosts(each: int) -> list:
    fitted = (32 * MIB, 512 * MIB, 16384 * MIB) if each == 1 else ()
    return log(f"nccl/h100-10-hosts-G{each}.log", 10 * each, 10, fitted)
