#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Predicted times of the MSCCL ring all-gathers on eight MI300X.

Usage: python3 -m validation.calibration.nccl.msccl_rings MSCCL-MI300X-RING.csv > OUT.csv
The table of rows has no licence and is not copied here. SPLIT.md specifies which sizes are
fitted. RINGSCOPE names the program.
"""

import pathlib
import sys
import tempfile

from common.programs import run_main
from validation.calibration.nccl.rows import table_of
from validation.calibration.verdict.simulator import Simulator, batch

RANKS = 8
STEP = ('<step s="{}" type="{}" srcbuf="{}" srcoff="{}" dstbuf="{}" dstoff="{}" cnt="{}" '
        'depid="{}" deps="{}" hasdep="{}"/>')
BLOCK = '<tb id="{0}" send="{1}" recv="{2}" chan="{0}">{3}</tb>'
ALGO = ('<algo name="{program}" proto="{protocol}" nchannels="{0}" nchunksperloop="{1}" ngpus="8" '
        'coll="{3}" inplace="1" outofplace="0" minBytes="0" maxBytes="0">{2}</algo>')


def block(rank: int, channel: int, channels: int, instances: int) -> str:
    """Chunks of one channel in the order in which they come; the last hop passes none on."""
    acts = [(kind, (rank - hop) % RANKS * instances + channel // channels)
            for hop in range(RANKS) if (rank - hop - channel) % channels == 0
            for kind in "r" * (hop > 0) + "s" * (hop < RANKS - 1)]
    steps = "".join(STEP.format(i, kind, "o", at, "o", at, 1, -1, -1, 0)
                    for i, (kind, at) in enumerate(acts))
    return BLOCK.format(channel, (rank + 1) % RANKS, (rank - 1) % RANKS, steps)


def program(row: dict) -> str:
    """Ring of the ranks' order, chunk c on channel c modulo `channels`, `instances` times."""
    channels, instances = int(row["channels"]), int(row["instances"])
    gpus = [f'<gpu id="{rank}" i_chunks="0" o_chunks="{RANKS * instances}" s_chunks="0">' + "".join(
        block(rank, i, channels, instances) for i in range(channels * instances)) + "</gpu>"
            for rank in range(RANKS)]
    return ALGO.format(channels * instances, RANKS * instances, "".join(gpus), "allgather", **row)


def main():
    print("program,bytes,fitted,predicted_us")
    rows = [(i % 2 == 0, row) for i, row in enumerate(table_of(sys.argv[1]))
            if row["protocol"] != "LL" or int(row["bytes"]) <= 1 << 27]  # else millions of messages
    with tempfile.TemporaryDirectory() as folder:
        for fitted, row in rows:
            file = pathlib.Path(folder) / f"{row['program']}.xml"
            file.write_text(program(row), encoding="utf-8")
            scenario = {"cluster": "mi300x", "placement": {"hosts": "8", "on": "gpu"},
                        "job": {"schedule": str(file), "bytes": f"{row['bytes']} B"}}
            (case,) = batch(Simulator(), "rccl_mi300x", [scenario], [file.stem])
            predicted = 1e6 * case["times_s"][0]
            print(f"{row['program']},{row['bytes']},{'yes' if fitted else 'no'},{predicted:.6g}",
                  flush=True)


if __name__ == "__main__":
    run_main(main)
