# SPDX-License-Identifier: LGPL-2.1-or-later
"""The range of what was measured: beyond it a fitted model extrapolates."""

from common.quantities import format_whole_bytes


def reach_of(result) -> dict:
    """Sizes of messages and of collectives' vectors, hosts and ranks on one host of all that the
    fit has seen, as the library has them; {} where nothing went between ranks."""
    sizes, hosts, ranks = [], 1, 1
    for way in ("shm", "network"):
        for point in result.points.all:
            if point.parameters.get("way") != way:
                continue
            sizes.append(int(point.size))
            pairs = int(point.parameters.get("pairs", 1))
            hosts = max(hosts, 2 if way == "network" else 1)
            ranks = max(ranks, 2 * pairs if way == "shm" else pairs)
    for case in result.collectives.cases if result.collectives else ():
        sizes.append(case.bytes)
        hosts = max(hosts, case.placement.used)
        ranks = max(ranks, case.placement.most)
    return {"least": format_whole_bytes(min(sizes)), "most": format_whole_bytes(max(sizes)),
            "hosts": hosts, "ranks_per_host": ranks} if sizes else {}
