"""All fits together: what is known of a cluster and its MPI, parameter by parameter."""

import dataclasses
import math
import re

import numpy as np

from fit.bootstrap import interval, intervals_of, way_of_drawing
from fit.closed_forms import Transport
from fit.collectives import fit_collectives
from fit.cores import Cores, fit_cores, redrawn_costs
from fit.network import fit_network
from fit.points import Points
from fit.progress import Progress, fit_progress
from fit.segments import constant
from fit.shm import fit_self, fit_shm
from fit.transport import Fitted, values_of
from measurements import InputError, case_key, parse_quantity
from verdict.simulator import Simulator

WIDE = 0.6  # of what a share may be: so wide an interval tells nothing
HOSTS, CORES = 8, 16  # what a cluster has where nothing says
OFFLOADED = re.compile(r"\b(ib\d|mlx\d|hsi\d|infiniband|roce|verbs|psm2?|omni-?path|rdma)", re.I)
HEADERS = 1448 / 1514  # payload of a full TCP segment on Ethernet

# Where nothing was measured between hosts: of the order of this project's openmpi_tcp profile.
USUAL_NETWORK = Transport(constant(5e-6), constant(2e-6), constant(2e-6), 0.25e-9, 0.25e-9, 0.1e-9,
                          65536.0, "caller", 0.8e-9)


@dataclasses.dataclass
class Parameter:
    """One number of the result. `low` and `high`: 95 %; None where no interval is known."""
    value: float
    unit: str
    evidence: str
    low: float = None
    high: float = None


@dataclasses.dataclass
class Settings:
    """What the command line says."""
    hosts: int = None
    cores: int = None
    transport: str = None
    seed: int = 1
    bootstrap: int = 200
    shares: dict = dataclasses.field(default_factory=dict)
    algorithms: dict = dataclasses.field(default_factory=dict)
    only: dict = dataclasses.field(default_factory=dict)  # replays with these parameters


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
    fitted: list = dataclasses.field(default_factory=list)  # case keys
    drawn: dict = dataclasses.field(default_factory=dict)  # way: how its intervals were found
    trace: dict = dataclasses.field(default_factory=dict)
    algorithms: dict = dataclasses.field(default_factory=dict)  # collective: what stands for ""
    collectives: object = None  # fit.collectives.Fit

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
        """Of a link, as the cluster states it: nominal, or of payload."""
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


def kind_of(documents, settings):
    """(tcp or rdma, why)."""
    if settings.transport:
        return settings.transport, "as --transport says"
    for document in documents:
        words = " ".join([*document.where["nic"], document.where["mpi"]]) \
            if isinstance(document.where["nic"], list) else \
            f"{document.where['nic']} {document.where['mpi']}"
        if found := OFFLOADED.search(words):
            return "rdma", f"'{found[0]}' in where.nic or where.mpi"
    return "tcp", "nothing in where.nic or where.mpi says otherwise; --transport does"


def size_of(documents, settings):
    """(hosts, cores of each, {name: why})."""
    assumed, hosts, most = {}, 0, 0
    for document in documents:
        names = document.where["hosts"]
        hosts = max([hosts, len(set(names))] + [
            int(one.parameters.get("hosts_count", 0)) for one in document.measurements])
        most = max([most] + [names.count(name) for name in set(names)])
    if not settings.hosts and hosts < HOSTS:
        assumed["cluster.hosts"] = f"{hosts} were measured; --hosts says how many there are"
    if not settings.cores:
        assumed["cluster.host.cores"] = "nothing says; --cores does"
    return (settings.hosts or max(hosts, HOSTS), settings.cores or max(CORES, most), assumed)


def fit_network_or_assume(points, kind, nominal, shares):
    if points.of_probe("ping_pong", way="network") or points.of_probe("stream", way="network"):
        return fit_network(points, kind, nominal * (HEADERS if kind == "tcp" else 1)
                           if nominal else None, shares)
    fitted = Fitted(USUAL_NETWORK)
    fitted.assumed["network"] = "nothing was measured between hosts: Open MPI's usual over TCP"
    return fitted


def calibrate(documents, settings: Settings) -> Calibration:
    """The fit to all probes of `documents`, without intervals."""
    points = Points.of(documents)
    nominal = one_nominal(documents)
    kind, why = kind_of(documents, settings)
    hosts, cores, assumed = size_of(documents, settings)
    host = fit_cores(points, cores)
    network = fit_network_or_assume(points, kind, nominal, settings.shares)
    transports = {"self": fit_self(points), "shm": fit_shm(points, host.copy_cost),
                  "network": network}
    for way in ("shm", "network"):
        one = transports[way]
        if not one.transport.unexpected_cost:
            one.transport = dataclasses.replace(one.transport, unexpected_cost=host.copy_cost)
        one.assumed["unexpected_cost"] = "as copy_cost"
    progress = fit_progress(points, network.transport, kind)
    result = Calibration(kind, hosts, cores, nominal, transports, host, progress, points,
                         documents[0].where)
    result.assumed = assumed | {"library.network.driver": f"{kind}: {why}"}
    replays = chosen_replays(documents, settings)
    if replays:
        fit_collectives(result, replays, Simulator(), settings)
    gather(result)
    return result


def chosen_replays(documents, settings):
    """The replays, of each the measurements that `settings.only` asks for."""
    found = []
    for document in documents:
        if document.kind == "replay":
            some = [one for one in document.measurements if all(
                str(one.parameters.get(key)) == value for key, value in settings.only.items())]
            if some:
                found.append(dataclasses.replace(document, measurements=some))
    if settings.only and not found:
        words = " ".join(f"{key}={value}" for key, value in settings.only.items())
        raise InputError(f"--only {words}: expected replays with it among the documents, got none")
    return found


def unit_of(name):
    return "s" if name.endswith(".time") else "s/B"


def gather(result: Calibration):
    """Collects values, evidence and assumptions under their dotted names."""
    result.parameters.clear()
    for way, fitted in result.transports.items():
        prefix = f"library.{way}"
        collect_transport(result, prefix, fitted)
        for name, text in fitted.assumed.items():
            result.assumed[prefix if name == way else f"{prefix}.{name}"] = text
        for name, text in fitted.undetermined.items():
            result.undetermined[f"{prefix}.{name}"] = text
        result.notes += [note for note in fitted.notes if note not in result.notes]
    collect_host(result)
    collect_progress(result)
    collect_collectives(result)
    keys = {point.key for fitted in result.transports.values() for one in fitted.observations
            for point in one.points}
    keys |= {point.key for some in result.host.observations.values() for point in some}
    for what in ("late_receiver", "overlap", "reduction"):
        keys |= {point.key for point in result.points.of_probe(what)}
    if result.collectives:
        keys |= {case_key(case.measured) for case in result.collectives.cases}
    result.fitted = sorted(keys)


def collect_transport(result, prefix, fitted):
    steady, jitter = fitted.transport.parts()
    values = values_of(dataclasses.replace(fitted.transport, latency=steady))
    free = {name for group in fitted.free for name in group}
    for name in sorted(free, key=list(values).index):
        evidence = fitted.evidence.get(name.split(".")[0], "")
        if name == "wire":
            add_wire(result, values["wire"], evidence)
        else:
            result.parameters[f"{prefix}.{name}"] = Parameter(values[name], unit_of(name), evidence)
    for index, one in enumerate(jitter.segments):
        for part in ("time", "cost"):
            if getattr(one, part):
                result.parameters[f"{prefix}.jitter.{index}.{part}"] = Parameter(
                    getattr(one, part), unit_of(f".{part}"), "collectives")
    if "wire" in values and "wire" not in free and fitted.evidence.get("wire"):
        add_wire(result, values["wire"], fitted.evidence["wire"])
    if "eager_limit" in fitted.evidence:
        low, high = fitted.brackets["eager_limit"]
        result.parameters[f"{prefix}.eager_limit"] = Parameter(
            fitted.transport.eager_limit, "B", fitted.evidence["eager_limit"], low, high)
    if "driver" in fitted.evidence:
        result.notes.append(f"{prefix}.driver {fitted.transport.driver}: "
                            f"{fitted.evidence['driver']}")


def add_wire(result, wire, evidence):
    if result.goodput is not None and result.goodput < 1:
        result.parameters["library.network.goodput"] = Parameter(result.goodput, "", evidence)
    else:
        result.parameters["cluster.link.bandwidth"] = Parameter(1 / wire, "B/s", evidence)


def collect_host(result):
    for name, evidence in result.host.evidence.items():
        if name == "memory_bandwidth":
            result.parameters["cluster.host.memory_bandwidth"] = Parameter(
                result.host.memory, "B/s", evidence)
        else:
            result.parameters[f"library.{name}"] = Parameter(getattr(result.host, name), "s/B",
                                                             evidence)
    result.assumed.update((f"library.{name}", text) for name, text in result.host.assumed.items())
    result.undetermined.update((f"cluster.host.{name}", text)
                               for name, text in result.host.undetermined.items())
    result.notes += [note for note in result.host.notes if note not in result.notes]


def collect_progress(result):
    if result.progress.assumed:
        result.assumed["library.progress"] = result.progress.assumed
    if result.progress.bracket:
        result.parameters["library.network.buffer"] = Parameter(
            result.progress.buffer, "B", result.progress.buffer_evidence, *result.progress.bracket)
    elif result.kind == "tcp":
        result.assumed["library.network.buffer"] = "0 B: no overlap at the receiver was measured"


def collect_collectives(result):
    """What the collectives have told of what was assumed before."""
    if not result.collectives:
        return
    values = values_of(result.network)
    names = {"cpu_share": ("network.send_overhead.0.time", "network.recv_overhead.0.time"),
             "cost_share": ("network.send_cost", "network.recv_cost"),
             "reduce_cost": ("reduce_cost",)}
    for index, one in enumerate(result.collectives.unknowns):
        low, high = result.collectives.intervals.get(index, (None, None))
        told = low is not None and high - low < WIDE * one.high if one.name != "reduce_cost" else \
            low is not None and high < 4 * max(low, 1e-3)
        if not told:
            result.undetermined[f"collectives: {one.name}"] = (
                f"the collectives hardly tell: {result.collectives.values[index]:.3g} fits best"
                + (f", 95 %: {low:.3g} to {high:.3g}" if low is not None else ""))
        for name in names.get(one.name, ()):
            value = result.host.reduce_cost if name == "reduce_cost" else \
                values[name.removeprefix("network.")]
            scale = value / result.collectives.values[index]
            parameter = Parameter(value, unit_of(name), f"collectives ({one.name})")
            if low is not None:
                parameter.low, parameter.high = low * scale, high * scale
            result.parameters[f"library.{name}"] = parameter
            result.assumed.pop(f"library.{name.removesuffix('.0.time')}", None)


def add_intervals(result: Calibration, settings: Settings):
    """95 % intervals of all parameters that have samples or residuals."""
    generator = np.random.default_rng(settings.seed)
    for way, fitted in result.transports.items():
        found = intervals_of(fitted, settings.bootstrap, generator)
        for name, (low, high) in found.items():
            if name == "wire":
                set_wire_interval(result, low, high)
            elif f"library.{way}.{name}" in result.parameters:
                parameter = result.parameters[f"library.{way}.{name}"]
                whole = values_of(fitted.transport)[name]
                share = parameter.value / whole if whole else 1.0  # the rest is jitter
                parameter.low, parameter.high = share * low, share * high
        if found:
            result.drawn[way] = way_of_drawing(fitted)
    add_jitter_intervals(result)
    drawn = [redrawn_costs(result.host, generator) for _ in range(settings.bootstrap)]
    for name in result.host.observations:
        parameter = result.parameters[f"library.{name}"]
        parameter.low, parameter.high = interval([one[name] for one in drawn])


def set_wire_interval(result, low, high):
    for name, scale in (("library.network.goodput", result.nominal),
                        ("cluster.link.bandwidth", 1.0)):
        parameter = result.parameters.get(name)
        if parameter and scale and low > 0:
            parameter.low, parameter.high = 1 / (high * scale), 1 / (low * scale)


def add_jitter_intervals(result):
    """In proportion to the share that the collectives found."""
    if not result.collectives:
        return
    for index, one in enumerate(result.collectives.unknowns):
        value = result.collectives.values[index]
        low, high = result.collectives.intervals.get(index, (None, None))
        for segment in one.segments:
            for part in ("time", "cost"):
                parameter = result.parameters.get(f"library.network.jitter.{segment}.{part}")
                if parameter and low is not None and value > 0:
                    parameter.low = parameter.value * low / value
                    parameter.high = parameter.value * high / value
