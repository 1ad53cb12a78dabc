# SPDX-License-Identifier: LGPL-2.1-or-later
"""Messages by collectives alone, where nobody measured a ping-pong.

In shared memory small messages are copied by both ends, larger ones by their receiver after a
handshake. Between hosts the network has a latency and a bandwidth, the rest is usual. Eager limits
are defaults of the library: collectives alone hardly tell them from the other values.
"""

import dataclasses
import math

from validation.calibration.fit.segments import Segment, Sized, constant

# Bytes. Open MPI: btl_vader_eager_limit. MPICH 3: MPIDI_CH3_EAGER_MAX_MSG_SIZE of ch3:nemesis.
EAGER = {"Open MPI": 4096.0, "MPICH": 65536.0}


def begin(result, cases):
    """Sets what is known of the library without a measurement."""
    network = result.transports["network"]
    if any(case.placement.used > 1 for case in cases):
        usual = network.assumed.pop("network").removeprefix("nothing was measured between hosts: ")
        network.assumed["send_overhead"] = network.assumed["recv_overhead"] = usual
    if all(case.placement.most == 1 for case in cases):
        return
    whose = "MPICH" if all("mpich" in case.series.mpi.lower() for case in cases) else "Open MPI"
    limit, shm = EAGER[whose], result.transports["shm"]
    shm.change(eager_limit=limit, driver="receiver")
    shm.assumed = {"eager_limit": f"{limit:.0f} B, the default of {whose}: no ping_pong in shared "
                                  "memory"}


def shm_with(transport, values: dict):
    """The transport with {unknown: value} of those above."""
    late = values["shm_handshake"] * 1e-6
    once = transport.send_overhead.times[0]
    return dataclasses.replace(
        transport, latency=constant(values["shm_latency"] * 1e-6),
        send_cost=values["shm_small"] * 1e-9, recv_cost=values["shm_copy"] * 1e-9,
        recv_overhead=Sized((Segment(transport.eager_limit, once, 0.0),
                             Segment(math.inf, once + late, 0.0))))
