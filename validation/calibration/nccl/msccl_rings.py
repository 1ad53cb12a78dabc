#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Predicted and measured times of the MSCCL ring all-gathers on eight MI300X.

Usage: python3 -m validation.calibration.nccl.msccl_rings [LIBRARY] > OUT.csv
LIBRARY: rccl_mi300x by default. SPLIT.md says which sizes are fitted. RINGSCOPE names the program.
"""

import json
import pathlib
import sys
import tempfile

from common.programs import run_main
from validation.calibration.nccl.rows import table
from validation.calibration.verdict.simulator import Simulator

RANKS = 8
MOST = {"LL": 1 << 27}  # bytes; longer ones have millions of messages
STEP = ('<step s="{}" type="{}" srcbuf="o" srcoff="{}" dstbuf="o" dstoff="{}" cnt="1" depid="-1" '
        'deps="-1" hasdep="0"/>')


def block(rank: int, channel: int, channels: int, instances: int) -> str:
    """Chunks of one channel in the order in which they come; the last hop passes none on."""
    steps = []
    for hop in range(RANKS):
        chunk = (rank - hop) % RANKS
        if chunk % channels != channel % channels:
            continue
        place = chunk * instances + channel // channels
        for kind in ("r",) * (hop > 0) + ("s",) * (hop < RANKS - 1):
            steps.append(STEP.format(len(steps), kind, place, place))
    return (f'<tb id="{channel}" send="{(rank + 1) % RANKS}" recv="{(rank - 1) % RANKS}" '
            f'chan="{channel}">{"".join(steps)}</tb>')


def program(name: str, protocol: str, channels: int, instances: int) -> str:
    """Ring of the ranks' order, chunk c on channel c modulo `channels`, `instances` times."""
    gpus = "".join(
        f'<gpu id="{rank}" i_chunks="0" o_chunks="{RANKS * instances}" s_chunks="0">' +
        "".join(block(rank, channel, channels, instances)
                for channel in range(channels * instances)) + "</gpu>" for rank in range(RANKS))
    return (f'<algo name="{name}" proto="{protocol}" nchannels="{channels * instances}" '
            f'nchunksperloop="{RANKS * instances}" ngpus="{RANKS}" coll="allgather" inplace="1" '
            f'outofplace="0" minBytes="0" maxBytes="0">{gpus}</algo>')


def predict(simulator: Simulator, library, row: dict, sizes: list, folder: pathlib.Path) -> list:
    """Seconds of a row's program by size."""
    file = folder / f"{row['program']}.xml"
    file.write_text(program(row["program"], row["protocol"], int(row["channels"]),
                            int(row["instances"])), encoding="utf-8")
    scenario = {"cluster": "mi300x", "placement": {"hosts": str(RANKS), "on": "gpu"},
                "job": {"schedule": str(file), "bytes": [f"{size} B" for size in sizes]}}
    cases = json.loads(simulator.run(library, [scenario], [row["program"]], "--json", "-"))["cases"]
    return [case["times_s"][0] for case in cases]


def main() -> int:
    library = sys.argv[1] if len(sys.argv) > 1 else "rccl_mi300x"
    rows = table("msccl-mi300x-ring.csv")
    print("program,bytes,fitted,predicted_us,program_us")
    with tempfile.TemporaryDirectory() as folder:
        for name in dict.fromkeys(row["program"] for row in rows):
            own = [row for row in rows if row["program"] == name
                   and int(row["bytes"]) <= MOST.get(row["protocol"], sys.maxsize)]
            times = predict(Simulator(), library, own[0], [int(row["bytes"]) for row in own],
                            pathlib.Path(folder))
            for i, (row, seconds) in enumerate(zip(own, times)):
                print(f"{name},{row['bytes']},{'no' if i % 2 else 'yes'},{seconds * 1e6:.6g},"
                      f"{row['program_us']}", flush=True)
    return 0


if __name__ == "__main__":
    run_main(main)
