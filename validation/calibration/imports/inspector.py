# SPDX-License-Identifier: LGPL-2.1-or-later
"""Lines of JSON of NCCL Inspector (plugins/profiler/inspector of NCCL, format v4): one for each
rank and collective call.

A call lasts as long as on its slowest rank. Of a reduce_scatter and an allgather the bytes are one
rank's, as `coll_algobw_gbs` shows; ours are those of all.
"""

from validation.calibration.imports import collectives, json_text
from validation.calibration.imports.findings import Findings, Given, Layout
from validation.calibration.imports.source import Source

NAME = "nccl-inspector"
MARKS = r'\s*\{.*"coll_perf"\s*:'
NEAR = 0.02  # of the printed bandwidth


def bytes_of(source: Source, line: int, size: int, ranks: int, rate: float, micros: float) -> int:
    """Size as nccl-tests count it, by the bandwidth in GB/s."""
    for one in (size, size * ranks):
        if abs(one - rate * 1e3 * micros) <= NEAR * one + 1:
            return one
    source.fail(line, f"an algorithm bandwidth of {size} B or {size * ranks} B in {micros:g} us",
                f"{rate:g} GB/s")


def parse(source: Source, _: Given) -> Findings:
    findings, calls = Findings(where={"program": "NCCL Inspector", "mpi": "NCCL"}), {}

    def add(line: int, told: dict):
        head, call = told["header"], told["coll_perf"]
        name = collectives.named(call["coll"]) or call["coll"]
        micros = float(call["coll_exec_time_us"])
        size = bytes_of(source, line, int(call["coll_msg_size_bytes"]), head["n_ranks"],
                        call["coll_algobw_gbs"], micros)
        key = (head.get("id"), call["coll_sn"], name, size, (head["n_ranks"], head["nnodes"]))
        calls.setdefault(key, {})[head["rank"]] = micros * 1e-6

    json_text.read(source, "coll_perf", "header and coll_perf of NCCL Inspector", add)
    for (_, _, name, size, (ranks, nodes)), times in calls.items():
        if len(times) < ranks:
            findings.note(f"{source.path}: some calls lack ranks, of which one may be slower")
        if max(times.values()) > 0:
            findings.add_collective(name, size, Layout(ranks, -(-ranks // nodes)),
                                    max(times.values()))
    return findings
