"""GPUs of which nobody has probes: what the collectives of NCCL tell of their links.

A ring allreduce of P ranks is 2 (P - 1) steps of a P-th of the vector each. So a straight line
through its times gives the latency of a step, and the rate of the slowest link.
"""

import numpy as np

from fit.gpus import Gpus, line_of

LARGE, SMALL = 1 << 20, 64 << 10  # bytes: from there on a vector tells the rate; up to there
#                                   the latency
SHARED = 1.2  # a rank's GPU is at least so much faster than its links


def rings(points):
    """Allreduces whose algorithm the library chose, on the GPUs of one host."""
    return [point for point in points.of_probe("allreduce") if point.where.get("devices")
            and not point.parameters.get("algorithm") and point.size > 0
            and int(point.parameters["hosts_count"]) == 1
            and int(point.parameters["ranks_count"]) > 1]


def fit_rings(points, only):
    """Gpus that all reach each other, or None where no such allreduce was measured. `only`: of the
    points, those with these parameters."""
    found = [point for point in rings(points) if all(
        str(point.parameters.get(key)) == value for key, value in only.items())]
    large = [point for point in found if point.size >= LARGE]
    small = [point for point in found if point.size <= SMALL]
    if not large:
        return None
    ranks = max(int(point.parameters["ranks_count"]) for point in found)
    gpus = Gpus(ranks, [(one, two) for two in range(ranks) for one in range(two)], "pinned", 0.0)
    rates = [2 * (int(point.parameters["ranks_count"]) - 1) / int(point.parameters["ranks_count"])
             * point.size / point.seconds for point in large]
    rate = float(np.median(rates))
    evidence = "allreduces, taken for rings"
    gpus.values["cluster.host.gpu.peer_bandwidth"] = (rate, "B/s", evidence)
    for way in ("send", "receive"):
        gpus.values[f"cluster.host.gpu.{way}_bandwidth"] = (SHARED * rate, "B/s", evidence)
    if small:
        steps = [2 * (int(point.parameters["ranks_count"]) - 1) for point in small]
        late = [point.seconds / count for point, count in zip(small, steps)]
        gpus.values["library.p2p.latency"] = (float(np.min(late)), "s", evidence)
    else:
        gpus.assumed["library.p2p.latency"] = "0 s: no allreduce of at most 64 KiB was measured"
    gpus.assumed["cluster.host.gpu"] = "links to the host: nothing but collectives was measured"
    gpus.assumed["library.gpu"] = "no time for reductions: it is in that of the ring"
    gpus.assumed["library.staged"] = "as p2p: nothing was staged"
    gpus.observations["allreduce"] = large + small
    line = line_of(large)
    gpus.lines = {"ring": line, "d2d": None, "reduction": None, "h2d": None, "d2h": None}
    return gpus
