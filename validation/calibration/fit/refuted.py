# SPDX-License-Identifier: LGPL-2.1-or-later
"""Fitted values that other probes of the same documents refute.

A busy machine makes a probe slow, and nothing makes one fast. Each value is therefore a claim: the
least time of every point that uses what the value limits. A point that took much less refutes it.
The fit is then done again without the points that the value came from.
"""

import math
from typing import Callable, NamedTuple

from validation.calibration.fit import closed_forms
from validation.calibration.fit.cores import BEYOND, LEAST, USES_OF_REDUCTION
from validation.calibration.fit.profile_units import in_unit

FASTER = 1.5  # times as fast as a value allows: more than noise
COLD = 2.0  # times: an exchange reads what was just written elsewhere, a ping-pong its own cache
USES_OF_COPY = 2  # bytes that move per byte copied: one read, one written
SMALL = 1 << 16  # bytes: less may stay in a core's first cache
LONG = 1 << 20  # bytes: longer than a token bucket's burst
COPIES = ("slope of large messages", "stream")  # in shared memory: the evidence, and its probe


class Claim(NamedTuple):
    """`came_from` is true of the points that the value was fitted to. `least`: seconds of any other
    point, 0 where the value does not limit it."""
    name: str
    value: str
    came_from: Callable
    least: Callable

    def against(self, point) -> str:
        """Reason to omit the value."""
        words = ", ".join(f"{key} {value}" for key, value in point.parameters.items())
        return (f"{self.name} {self.value} omitted: {point.what} ({words}) would take "
                f"{in_unit(self.least(point), 's')} at least, and took "
                f"{in_unit(point.seconds, 's')}: measure again")


def moved(point) -> float:
    """Bytes that a sum or a message moves in its host's memory. The model's memory has one
    bandwidth, whatever the caches hold."""
    if point.size < SMALL:
        return 0.0
    if point.what == "reduction":
        return USES_OF_REDUCTION * point.size * point.parameters["ranks"]
    messages = {"ping_pong": 1, "exchange": 2}.get(point.what, 0)
    if point.what == "stream":
        messages = point.parameters["pairs"] * point.parameters["directions"]
    return USES_OF_COPY * point.size * messages * (point.parameters.get("way") == "shm")


def of_local_work(result, name, what) -> Claim:
    """Several ranks are no faster than the fewest of them."""
    found = [point for point in result.points.of_probe(what) if point.size >= LEAST]
    fewest = min((point.parameters["ranks"] for point in found), default=0)
    alone = {point.size: point.seconds for point in found if point.parameters["ranks"] == fewest}
    return Claim(f"library.{name}", in_unit(getattr(result.host, name), "s/B"),
                 lambda point: point.what == what and point.parameters["ranks"] == fewest,
                 lambda point: alone.get(point.size, 0.0) if point.what == what else 0.0)


def of_transport(way, fitted):
    """Claims of values that came from other probes, against the way's ping-pongs."""
    one = fitted.transport
    sending = lambda size: one.sending(size) * one.eager(size)
    receiving = lambda size: one.receiving(size) * one.eager(size)
    for name, value, what, least in (
            ("send_overhead", in_unit(float(one.sending(0.0)), "s"), "send_call", sending),
            ("recv_overhead", in_unit(float(one.receiving(0.0)), "s"), "recv_call", receiving),
            ("send_cost", "by send_call", "send_call", sending),
            ("recv_cost", "by recv_call", "recv_call", receiving),
            ("recv_cost", "by exchanges", "exchange",
             lambda size: closed_forms.ping_pong(one, size) / COLD * (size > one.eager_limit)),
            ("recv_cost", in_unit(one.recv_cost, "s/B"), "stream",
             lambda size: size * max(one.send_cost, one.recv_cost) * (size > one.eager_limit)
             * (size >= LONG or way == "shm")),
            ("wire", in_unit(one.wire, "s/B"), "stream",
             lambda size: size * one.wire * (size >= LONG))):
        evidence = fitted.evidence.get(name, "").replace(*COPIES)
        if what in evidence and "also waits" not in evidence:
            yield Claim(f"library.{way}.{name}" if name != "wire" else "cluster.link", value,
                        lambda point, what=what: (point.what == what
                                                  and point.parameters["way"] == way),
                        lambda point, least=least: least(point.size) if point.what == "ping_pong"
                        and point.parameters["way"] == way else 0.0)


def claims_of(result):
    if math.isfinite(rate := result.host.memory):
        yield Claim("cluster.host.memory_bandwidth", in_unit(rate, "B/s"),
                    lambda point: (point.what == "reduction" and point.parameters["ranks"] > 1
                                   and point.size >= BEYOND),
                    lambda point: moved(point) / rate)
    yield of_local_work(result, "reduce_cost", "reduction")
    yield of_local_work(result, "copy_cost", "copy")
    for way in ("shm", "network"):
        yield from of_transport(way, result.transports[way])


def refutation_of(result):
    """(the claim, the point that refutes it most); None where no point refutes any."""
    ratios = [(claim.least(point) / point.seconds, claim, point) for claim in claims_of(result)
              if any(map(claim.came_from, result.points.all))
              for point in result.points.all if not claim.came_from(point)]
    most = max(ratios, key=lambda one: one[0], default=(0.0,))
    return most[1:] if most[0] > FASTER else None
