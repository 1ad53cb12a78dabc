# SPDX-License-Identifier: LGPL-2.1-or-later
"""Machines drawn at random, their probes and their collectives by the simulator, for tests."""

import dataclasses

import numpy as np

from validation.calibration.fit import calibration, draws, parameters, report, synthetic_for_test
from validation.calibration.fit.closed_forms import Transport
from validation.calibration.fit.cores import USUAL_REDUCE
from validation.calibration.fit.profile import cluster_of, library_of
from validation.calibration.fit.segments import Segment, Sized, constant
from validation.calibration.verdict import accuracy, judge, model
from validation.calibration.verdict.simulator import Simulator
from validation.measurements import Document, Measurement

CASES = (("allreduce", "recursive_doubling", 1 << 10, 8), ("allreduce", "ring", 1 << 16, 8),
         ("allreduce", "ring", 1 << 20, 4), ("broadcast", "binomial", 1 << 14, 16))
SETTINGS = calibration.Settings(bootstrap=2, transport="tcp")
REDUCE, NOISE = 0.1e-9, 0.02  # s/B; of a sample


def transport_of(random, late: float) -> Transport:
    """TCP between hosts: cores take 10 to 90 % of a small message's 3 to 30 us, and at each end 10
    to 90 % of a byte's time on a link of 0.5 to 5 GB/s. `late`: share of latencies that varies."""
    small = 1e-6 * np.exp(random.uniform(np.log(3), np.log(30)))
    cores, send, receive = random.uniform(0.1, 0.9, 3)
    wire = 1e-9 / np.exp(random.uniform(np.log(0.5), np.log(5)))
    latency = (1 - cores) * small
    longer = latency * random.uniform(1, 3)
    sized = Sized((Segment(1024, latency, 0.0), Segment(np.inf, longer, 0.0)))
    return Transport(sized, constant(cores * small / 2), constant(cores * small / 2), send * wire,
                     receive * wire, 0.1e-9, 65535.0, "caller", wire, late=(late, late),
                     connection_cost=1e-7 * 3 ** random.uniform(-1, 1) if late else 0.0)


def probes_of(transport: Transport, published: bool, seed: int) -> Document:
    """Medians of a ping-pong alone, or all probes with their samples."""
    if not published:
        return synthetic_for_test.everything(transport, noise=NOISE, seed=seed)
    cluster = synthetic_for_test.Cluster(noise=NOISE, samples=0, seed=seed)
    cluster.add_ping_pong(transport, "network")
    return cluster.document()


def with_truth(result, transport: Transport, reduce_cost: float):
    """The calibration with the machine's own numbers in place of the fit's."""
    network = dataclasses.replace(result.transports["network"], transport=transport)
    return dataclasses.replace(result, transports=result.transports | {"network": network},
                               host=dataclasses.replace(result.host, reduce_cost=reduce_cost))


def collectives(seconds) -> Document:
    found = [Measurement(one[0], {"collective": one[0], "algorithm": one[1], "bytes": one[2],
                                  "ranks_count": one[3], "hosts_count": one[3],
                                  "placement": f"1x{one[3]}"}, time, name=" ".join(map(str, one)))
             for one, time in zip(CASES, seconds)]
    return Document("real.json", "replay", {}, found)


def verdict_of(seed: int, published: bool, simulator: Simulator) -> judge.Verdict:
    """A fit to a machine's probes, held against its collectives."""
    random = np.random.default_rng(seed)
    transport = transport_of(random, random.uniform(0, 1) if published else 0.0)
    reduce_cost = USUAL_REDUCE * 3 ** random.uniform(-1, 1) if published else REDUCE
    result = calibration.calibrate([probes_of(transport, published, seed)], SETTINGS)
    parameters.add_intervals(result, SETTINGS)
    drawn = draws.draw_again(result, SETTINGS)
    fitted = model.Model("fit", cluster_of(result), library_of(result),
                         {"draws": drawn.models, "errors": report.errors_of(result)})
    true = with_truth(result, transport, reduce_cost)
    truth = model.Model("truth", cluster_of(true), library_of(true), {})
    told = judge.judge(simulator, truth, [collectives([1.0] * len(CASES))], accuracy.Limits())
    measured = collectives([case.predicted_s for case in told.judged])
    return judge.judge(simulator, fitted, [measured], accuracy.Limits(), intervals=True)
