# SPDX-License-Identifier: LGPL-2.1-or-later
"""Rows of validation/published, told apart by SPLIT.md: those that a fit may see, and others."""

from typing import NamedTuple

from validation import PUBLISHED
from validation.calibration import imports
from validation.calibration.imports import nccl_tests
from validation.calibration.imports.findings import Given
from validation.csv_files import rows_of

EVERY = 4  # row of a curve that is fitted
MIB = 1 << 20


class Row(NamedTuple):
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


def runs_of(path, ranks: int, hosts: int, collective: str = "") -> list:
    """Rows of each run of nccl-tests in a log, out of place; `collective`: of all, where no line
    names it."""
    given, runs = Given(hosts, ranks // hosts, collective), {}
    for found in imports.read(str(path), given, nccl_tests.NAME):
        for _, one, table_at in found.points:
            size, job = one.parameters["bytes"], (one.scenario or {}).get("job", {})
            if size and one.parameters["buffers"] == nccl_tests.PLACES[0]:
                runs.setdefault(table_at, []).append(
                    Row(ranks, size, one.median_s, hosts=hosts, **job.get("options", {}),
                        collective=one.parameters["collective"]))
    return list(runs.values())


def log(name: str, ranks: int, hosts: int, fitted: tuple) -> list:
    """Rows of a log; those of `fitted` sizes of its first run, an allreduce, are."""
    return [row._replace(fitted=i == 0 and row.size in fitted)
            for i, run in enumerate(runs_of(PUBLISHED / name, ranks, hosts)) for row in run]


def v100_pcie() -> list:
    return log("nccl-tests-allreduce-4xV100-pcie.log", 4, 1, (8, MIB, 128 * MIB))


def h100_host() -> list:
    return (log("nccl/h100-1-host-all_reduce.log", 4, 1, (4, MIB, 128 * MIB)) +
            log("nccl/h100-1-host-all_gather_perf.log", 4, 1, ()))


def h100_hosts(each: int) -> list:
    fitted = (32 * MIB, 512 * MIB, 16384 * MIB) if each == 1 else ()
    return log(f"nccl/h100-10-hosts-G{each}.log", 10 * each, 10, fitted)
