# SPDX-License-Identifier: LGPL-2.1-or-later
"""The numbers that probes left open and collectives may tell."""

from typing import NamedTuple

from validation.calibration.fit.calls import COST_SHARE, CPU_SHARE
from validation.calibration.fit.cores import USUAL_DETOURS, USUAL_REDUCE
from validation.calibration.verdict.waits import is_mean


class Unknown(NamedTuple):
    """One fitted number. `segments`: those of the latency whose jitter it is. `pulled`: its start
    counts as a measurement of it, as its logarithm. `by_factor`: its logarithm is fitted."""
    name: str
    start: float
    low: float
    high: float
    segments: tuple = ()
    pulled: bool = False
    by_factor: bool = False


SHARED = (Unknown("shm_latency", 0.36, 0.01, 20.0, by_factor=True),  # us
          Unknown("shm_small", 0.1, 1e-3, 5.0, by_factor=True),  # ns/B of the sender's copy
          Unknown("shm_handshake", 0.5, 1e-3, 50.0, by_factor=True),  # us
          Unknown("shm_copy", 0.2, 5e-3, 10.0, by_factor=True))  # ns/B of the receiver's copy
BETWEEN = (Unknown("latency", 5.0, 0.1, 500.0, by_factor=True),  # us
           Unknown("wire", 0.2, 1e-3, 20.0, by_factor=True),  # ns/B
           Unknown("receiving", 0.3, 0.0, 100.0))  # us
MANY = 16  # ranks a host, whose messages together may be too many for its NIC


def outnumbers_streams(result, placed) -> bool:
    """True if one pair of ranks alone was streamed, whose cores may have been its limit, where the
    ranks of a host together may find a faster link."""
    streams = result.points.of_probe("stream", way="network")
    alone = bool(streams) and all(point.parameters["pairs"] == 1 for point in streams)
    most = max((case.placement.most for case in placed), default=1)
    return (alone and most > 1 and result.network.driver == "caller" and result.nominal is None
            and "send_cost" in result.transports["network"].assumed)


def are_alone(result, placed) -> bool:
    """True if nobody measured a ping-pong, so that these cases alone tell of messages."""
    return bool(placed) and not result.points.of_probe("ping_pong")


def of_messages(placed) -> list:
    shared = any(case.placement.most > 1 for case in placed)
    between = any(case.placement.used > 1 for case in placed)
    return [*SHARED * shared, *BETWEEN * between]


def of_sums(result) -> list:
    assumed = "reduce_cost" in result.host.assumed
    return [Unknown("reduce_cost", USUAL_REDUCE * 1e9, 0.01, 2.0)] * assumed  # ns/B


def of_waits(placed) -> list:
    several = len({case.placement.used for case in placed if is_mean(case)}) > 1
    return [Unknown("detours", USUAL_DETOURS * 1e2, 1e-3, 10.0, pulled=True)] * several  # %


def unknowns_of(result, placed=()):
    """Unknowns that the probes left open, all ends alike; `placed`: the measured cases."""
    if are_alone(result, placed):
        return [*of_messages(placed), *of_sums(result), *of_waits(placed)]
    assumed = result.transports["network"].assumed
    found = [Unknown("late", 0.3, 0.0, 1.0, tuple(range(len(result.network.latency.segments))))]
    if "send_overhead" in assumed and "recv_overhead" in assumed:
        found.append(Unknown("cpu_share", CPU_SHARE, 0.02, 1.0))
    if outnumbers_streams(result, placed):
        found.append(Unknown("wire_share", 0.5, 0.05, 1.0))
    elif "send_cost" in assumed and result.network.driver == "caller":
        found.append(Unknown("cost_share", COST_SHARE, 0.02, 1.0))
    if max((case.placement.most for case in placed), default=1) >= MANY:
        found.append(Unknown("message_gap", 1.0, 0.0, 5.0))  # us
    return found + of_sums(result) + of_waits(placed)
