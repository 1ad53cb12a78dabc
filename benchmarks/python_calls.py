# SPDX-License-Identifier: LGPL-2.1-or-later
"""Measure what calls from Python cost: a sweep of many small runs, a call of one of them, and a
query of nccl_estimate().

    benchmarks/python_calls                  10,000 points of a ring of 8 ranks; 300 calls
    benchmarks/python_calls --points 400     fewer of them: says whether it works, not how fast

The module must be where Python finds it (python/README.md). A call's cost over the C++ run is the
time of `ringscope.run` less the wall time of the simulation alone, which stands in the report: it
holds the reading of the scenario, too, and so is an upper bound of what Python adds.
"""

import os
import statistics
import time

import ringscope

from common.programs import page_parser, run_main
from validation.arguments import parsed

MOST_SWEEP_S, MOST_CALL_S = 30.0, 1e-3  # of 10,000 points on two cores; of a call
MOST_QUERY_S = 50e-6
SCENARIO = {"question": "What does a call cost?", "cluster": "star8", "library": "rdma",
            "placement": "1x8",
            "job": {"collective": "allreduce", "algorithm": "ring", "bytes": "1 MiB"}}


def study(points: int) -> dict:
    """Bandwidths and latencies: as many of each as make at least so many points."""
    steps = max(2, round(points ** 0.5))
    return {"scenario": SCENARIO, "metrics": ["time_s"], "sweep": {"grid": {
        "library.network.latency": {"from": "1 us", "to": "9 us", "steps": steps},
        "cluster.link.bandwidth": {"from": "1 Gbit/s", "to": "100 Gbit/s",
                                   "steps": -(-points // steps)}}}}


def sweep_seconds(points: int, threads: int) -> tuple:
    """(points, seconds)."""
    question = study(points)
    begun = time.perf_counter()
    frame = ringscope.sweep(question, threads=threads, progress=False)
    return len(frame), time.perf_counter() - begun


def call_seconds(calls: int) -> list:
    """Seconds of each call beyond the simulation itself."""
    costs = []
    for _ in range(calls):
        begun = time.perf_counter()
        cases = ringscope.run(SCENARIO, progress=False)
        costs.append(time.perf_counter() - begun - cases[0].wall_s)
    return costs


def query_seconds(queries: int) -> tuple:
    """(seconds of the table of 8 GPUs to 64 MiB, of a query)."""
    begun = time.perf_counter()
    times = ringscope.nccl_estimate("h100_nvswitch", "allreduce", 8, most=1 << 26, progress=False)
    warm = time.perf_counter()
    for number in range(queries):
        times(8 + number * 1009)
    return warm - begun, (time.perf_counter() - warm) / queries


def main():
    options = parsed(page_parser("python_calls", __doc__), "benchmarks python_calls")
    points, seconds = sweep_seconds(options.points, options.threads)
    costs = call_seconds(options.calls)
    table, query = query_seconds(10 * options.calls)
    print(f"sweep: {points} points of 8 ranks in {seconds:.2f} s on {options.threads} threads of "
          f"{os.cpu_count()} cores (10,000 in at most {MOST_SWEEP_S:.0f} s)")
    print(f"call:  {1e3 * statistics.median(costs):.3f} ms beyond the simulation, the median of "
          f"{len(costs)}; {1e3 * min(costs):.3f} ms at least (at most {1e3 * MOST_CALL_S:.0f} ms)")
    print(f"query: {1e6 * query:.2f} us of nccl_estimate (at most {1e6 * MOST_QUERY_S:.0f} us), "
          f"after {table:.2f} s for its table")


if __name__ == "__main__":
    run_main(main)
