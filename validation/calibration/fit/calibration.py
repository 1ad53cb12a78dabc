# SPDX-License-Identifier: LGPL-2.1-or-later
"""All fits together: what is known of a cluster and its MPI, parameter by parameter."""

import dataclasses
import math
import re

from common.programs import InputError
from common.quantities import parse_quantity
from validation.calibration.fit import refuted
from validation.calibration.fit.closed_forms import Transport
from validation.calibration.fit.collectives import ROUNDS, fit_collectives
from validation.calibration.fit.cores import Cores, fit_cores
from validation.calibration.fit.gpus import fit_gpus
from validation.calibration.fit.interrupts import PACKET
from validation.calibration.fit.memory import fit_local_work, merged
from validation.calibration.fit.network import fit_network, is_published_over_tcp
from validation.calibration.fit.order import fit_order
from validation.calibration.fit.parameters import gather
from validation.calibration.fit.points import Points, asked_for
from validation.calibration.fit.progress import Progress, fit_progress
from validation.calibration.fit.segments import constant
from validation.calibration.fit.shm import fit_self, fit_shm
from validation.calibration.fit.trace import fit_trace
from validation.calibration.fit.transport import Fitted, least
from validation.calibration.verdict.accuracy import Limits
from validation.calibration.verdict.simulator import Simulator
from validation.measurements import PROBES

HOSTS, CORES = 128, 16  # of a cluster, by default
OFFLOADED = re.compile(r"\b(ib\d|mlx\d|hsi\d|infiniband|roce|verbs|psm2?|omni-?path|rdma)", re.I)
POLLED = 1e-7  # s of each open connection of Open MPI's over TCP (validation/published/SPLIT.md)
# s of a message one way: netperf's TCP_RR there and back takes 8.79 us where the kernel polls a
# Chelsio NIC, 16.25 us with interrupts (Linux commit 3a336cb17183); MPI adds to it.
FASTEST_TCP = 4e-6
LATE = 0.6  # of a latency over TCP: 0.64 of google-c2d's (validation/published/SPLIT.md)
HEADERS = 1448 / 1514  # payload of a full TCP segment on Ethernet

OF_NCCL = "`ringscope calibrate LOG --cluster h100_nvswitch --library nccl_h100 -o my.yaml`"

# Defaults where nothing was measured between hosts: of the order of this project's openmpi_tcp
# profile.
USUAL_NETWORK = Transport(constant(5e-6), constant(2e-6), constant(2e-6), 0.25e-9, 0.25e-9, 0.1e-9,
                          65536.0, "caller", 0.8e-9)
USUAL_RDMA = Transport(constant(2e-6), constant(0.3e-6), constant(0.3e-6), eager_limit=8192.0,
                       unexpected_cost=0.1e-9, driver="nic", wire=0.1e-9)


@dataclasses.dataclass
class Settings:
    """Options of the command line."""
    hosts: int = None
    cores: int = None
    transport: str = None
    seed: int = 1
    bootstrap: int = 200
    rounds: int = ROUNDS  # of simulations, where collectives are fitted
    shares: dict = dataclasses.field(default_factory=dict)
    algorithms: dict = dataclasses.field(default_factory=dict)
    only: dict = dataclasses.field(default_factory=dict)  # of replays: {parameter: its values}
    memory: str = "pinned"  # of the host, where staged messages wait
    segment: float = None  # of staged messages


@dataclasses.dataclass
class Calibration:
    kind: str  # tcp or rdma
    hosts: int
    cores: int
    nominal: float  # bytes/s of a link, as its owner calls it; None where nobody does
    transports: dict  # way: Fitted
    host: Cores
    progress: Progress
    points: Points
    where: dict
    parameters: dict = dataclasses.field(default_factory=dict)
    assumed: dict = dataclasses.field(default_factory=dict)
    undetermined: dict = dataclasses.field(default_factory=dict)
    notes: list = dataclasses.field(default_factory=list)
    doubts: list = dataclasses.field(default_factory=list)  # what to measure again, and why
    fitted: list = dataclasses.field(default_factory=list)  # case keys
    drawn: dict = dataclasses.field(default_factory=dict)  # way: how its intervals were found
    trace: object = None  # fit.trace.Traced
    algorithms: dict = dataclasses.field(default_factory=dict)  # collective: what stands for ""
    tables: dict = dataclasses.field(default_factory=dict)  # collective: those not ruled out
    changes: list = dataclasses.field(default_factory=list)  # fit.memory.Change, by rising size
    orders: dict = dataclasses.field(default_factory=dict)  # way: fit.order.Order, where probed
    collectives: object = None  # fit.collectives.Fit
    gpus: object = None  # fit.gpus.Gpus
    draws: object = None  # fit.draws.Draws
    only_gpus: bool = False  # nothing else was probed

    @property
    def network(self) -> Transport:
        return self.transports["network"].transport

    @property
    def goodput(self):
        """Payload's share of the nominal rate; None where that is not known."""
        if self.nominal is None or self.network.wire <= 0:
            return None
        return min(1.0, 1 / (self.network.wire * self.nominal))

    @property
    def bandwidth(self):
        """A link's bandwidth, as the cluster states it: nominal, or of payload."""
        if self.goodput is not None and self.goodput < 1:
            return self.nominal
        return 1 / self.network.wire if self.network.wire > 0 else math.inf


def one_nominal(documents):
    """The link's nominal rate in bytes/s, or None; documents that differ in it do not mix."""
    stated = {}
    for document in documents:
        text = document.where["link_bandwidth"]
        if text:
            place = f"{document.path}: where.link_bandwidth"
            stated[parse_quantity(text, "bandwidth", place)] = document.path
    if len(stated) > 1:
        raise InputError(f"{', '.join(stated.values())}: where.link_bandwidth: expected one rate "
                         "in all documents of a fit, got several: calibrate them one by one")
    rate = next(iter(stated), None)
    return None if rate is None or math.isinf(rate) else rate


def check_one_emulation(documents):
    """Refuses to mix measurements with and without something emulated: they are two machines."""
    found = {document.where["emulated"]: document.path for document in documents}
    if len(found) > 1:
        words = ", ".join(f"{path}: '{words}'" for words, path in found.items())
        raise InputError("where.emulated: expected the same in all documents of a fit, "
                         f"got {words}")


def kind_of(documents, settings, points):
    """(tcp or rdma, why)."""
    if settings.transport:
        return settings.transport, "set by --transport"
    for document in documents:
        if found := OFFLOADED.search(f"{document.where['nic']} {document.where['mpi']}"):
            return "rdma", f"'{found[0]}' in where.nic or where.mpi"
    least_s = min((one.seconds for one in points.of_probe("ping_pong", way="network")), default=1)
    if least_s < FASTEST_TCP:
        return "rdma", (f"{least_s * 1e6:.2g} us a message is less than over the kernel's TCP; "
                        "--transport tcp overrides it")
    return "tcp", "where.nic and where.mpi name no RDMA; --transport overrides it"


def size_of(documents, settings):
    """(hosts, cores of each, {name: why})."""
    assumed, hosts, most = {}, 0, 0
    for document in documents:
        names = document.where["hosts"]
        sizes = [[int(one.parameters[key]) for key in ("hosts_count", "ranks_count")]
                 for one in document.measurements if "hosts_count" in one.parameters]
        hosts = max([hosts, len(set(names))] + [count for count, _ in sizes])
        most = max([most] + [names.count(name) for name in set(names)]
                   + [-(-ranks // count) for count, ranks in sizes])
    if not settings.hosts and hosts < HOSTS:
        assumed["cluster.hosts"] = (f"{hosts or 'an unknown number'} were measured; --hosts "
                                    "sets the number")
    if not settings.cores:
        assumed["cluster.host.cores"] = "unknown; --cores sets the number"
    return (settings.hosts or max(hosts, HOSTS), settings.cores or max(CORES, most), assumed)


def fit_network_or_assume(points, kind, nominal, shares, unexpected):
    if points.of_probe("ping_pong", way="network") or points.of_probe("stream", way="network"):
        return fit_network(points, kind, nominal * (HEADERS if kind == "tcp" else 1)
                           if nominal else None, shares, unexpected)
    fitted = Fitted(USUAL_RDMA if kind == "rdma" else USUAL_NETWORK)
    fitted.assumed["network"] = ("nothing was measured between hosts: "
                                 f"Open MPI's usual over {kind.upper()}")
    return fitted


def fit_probes(points, documents, settings) -> Calibration:
    """The fit to `points` of `documents`, to neither GPUs nor whole collectives."""
    nominal = one_nominal(documents)
    kind, why = kind_of(documents, settings, points)
    hosts, cores, assumed = size_of(documents, settings)
    host = fit_cores(points, cores)
    network = fit_network_or_assume(points, kind, nominal, settings.shares, host.copy_cost)
    transports = {"self": fit_self(points), "shm": fit_shm(points, host.copy_cost),
                  "network": network}
    for way in ("shm", "network"):
        if way not in transports[way].assumed:
            transports[way].assumed["unexpected_cost"] = "as copy_cost"
    assume_connections(network, points)
    progress = fit_progress(points, network.transport, kind)
    result = Calibration(kind, hosts, cores, nominal, transports, host, progress, points,
                         documents[0].where)
    result.orders = orders_of(points, transports)
    result.changes = merged(transports["shm"].changes, fit_local_work(host, points))
    result.assumed = assumed | {"library.network.driver": f"{kind}: {why}"}
    return result


def fit_without_refuted(documents, settings) -> Calibration:
    """The fit to the probes, but for those whose values others refute."""
    points, reasons = Points.of(documents), {}
    result = fit_probes(points, documents, settings)
    while found := refuted.refutation_of(result):
        claim, point = found
        reasons[claim.name.removeprefix("cluster.host.")] = claim.against(point)
        points = Points([point for point in points.all if not claim.came_from(point)])
        result = fit_probes(points, documents, settings)
    result.doubts = foreign_loads(documents) + list(reasons.values())
    unknown = result.host.undetermined
    unknown.update({name: reasons[name] for name in unknown if name in reasons})
    return result


def foreign_loads(documents) -> list:
    """Warnings of documents that were measured while others used the machine."""
    return [f"{one.path}: others used {one.foreign_cores:.1f}"
            + (f" of {one.where['cores']}" if "cores" in one.where else "")
            + " cores meanwhile: measure again"
            for one in documents if (one.foreign_cores or 0.0) > Limits().foreign_cores]


def calibrate(documents, settings: Settings) -> Calibration:
    """The fit to all of `documents`, without intervals."""
    check_one_emulation(documents)
    result = fit_without_refuted(documents, settings)
    add_gpus(result, documents, settings)
    traces = [one for one in documents if one.kind == "trace"]
    if traces and len(documents) > 1:
        raise InputError(f"{traces[0].path}: kind: expected a trace to be fitted by itself, got "
                         f"{len(documents)} documents")
    replays = chosen_replays(documents, settings)
    if traces:
        fit_trace(result, traces[0], settings)
        result.drawn["trace"] = "calls drawn again"
    elif replays and not result.only_gpus:
        fit_collectives(result, replays, Simulator(), settings)
    elif not result.only_gpus:
        assume_jitter(result)
    gather(result)
    return result


def assume_connections(network, points):
    """Takes what Open MPI's engine polls for granted, where medians alone were published over TCP:
    two ranks have one connection. Probes of our own are simulated as they are."""
    if not is_published_over_tcp(network, points):
        return
    network.change(connection_cost=POLLED)
    network.assumed["connection_cost"] = "Open MPI's over TCP: two ranks open one connection"


def assume_jitter(result):
    """Takes a share of the latency for jitter, where medians alone were published over TCP. Probes
    of our own are simulated as they are. A second packet's wait for its interrupt is no jitter."""
    network = result.transports["network"]
    if not is_published_over_tcp(network, result.points):
        return
    waits = network.transport.interrupt_interval
    late = tuple(LATE * (1 - min(1.0, waits / one.time)) if one.up_to > PACKET and one.time
                 else LATE for one in network.transport.latency.segments)
    network.transport = least(dataclasses.replace(network.transport, late=late), network.free,
                              network.observations)  # an RTS and a CTS have no jitter
    network.assumed["jitter"] = (f"{LATE:.0%} of the latency, as in collectives on another "
                                 "machine: its variation is not measured here")


def orders_of(points, transports):
    found = {way: fit_order(points, way, transports[way].transport.eager_limit)
             for way in ("shm", "network")}
    return {way: order for way, order in found.items() if order}


def add_gpus(result, documents, settings):
    """Fits probed GPUs; one process runs all their ranks, on one core."""
    result.gpus = fit_gpus(result.points, settings.memory, settings.segment)
    if not result.gpus:
        check_no_gpus(documents)
        return
    result.cores = settings.cores or 1
    result.only_gpus = not any(point.what in PROBES for point in result.points.all)
    if result.only_gpus:
        result.hosts = settings.hosts or 1
        result.assumed.clear()


def check_no_gpus(documents):
    """Refuses collectives on GPUs: a host without GPUs has no place for them."""
    for document in documents:
        if document.kind == "replay" and document.where.get("devices"):
            raise InputError(f"{document.path}: expected --cluster and --library for "
                             f"collectives on GPUs, or probes of GPUs; got neither: {OF_NCCL}")


def chosen_replays(documents, settings):
    """The replays, of each the measurements that `settings.only` asks for."""
    return [document for document in asked_for(documents, settings.only)
            if document.kind == "replay"]
