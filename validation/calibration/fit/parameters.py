# SPDX-License-Identifier: LGPL-2.1-or-later
"""Every fitted number under its dotted name, with its source and its interval."""

import dataclasses

import numpy as np

from validation.calibration.fit import cores, gpus, transport
from validation.calibration.fit.bootstrap import interval, intervals_of, way_of_drawing
from validation.calibration.fit.network import wires_drawn_again
from validation.measurements import case_key
from validation.yaml_files import tables_of

WIDE = 0.6  # of what a share may be: so wide an interval tells nothing
SCALED = tables_of(__file__)


@dataclasses.dataclass
class Parameter:
    """One number of the result. `low` and `high`: 95 %; None where nothing was drawn again."""
    value: float
    unit: str
    evidence: str
    low: float = None
    high: float = None

    @property
    def bounded(self) -> bool:
        """False also where drawing again moves nothing: one value alone is no interval."""
        return self.low is not None and self.low < self.high


def unit_of(name):
    return "s" if name.endswith(".time") else "s/B"


def add_new(notes, more):
    notes += [note for note in more if note not in notes]


def gather(result):
    """Collects values, evidence and assumptions under their dotted names."""
    result.parameters.clear()
    add_new(result.notes, result.doubts)
    if result.trace:
        collect_trace(result)
        return
    if result.gpus:
        collect_gpus(result)
    if result.only_gpus:
        return
    for way, fitted in result.transports.items():
        prefix = f"library.{way}"
        collect_transport(result, prefix, fitted)
        for name, text in fitted.assumed.items():
            result.assumed[prefix if name == way else f"{prefix}.{name}"] = text
        for name, text in fitted.undetermined.items():
            result.undetermined["cluster.link.bandwidth" if name == "wire"
                                else f"{prefix}.{name}"] = text
        add_new(result.doubts, [f"{prefix}.{name}: {why}" for name, why in fitted.doubts.items()])
        add_new(result.notes, result.doubts + fitted.notes)
    collect_host(result)
    collect_progress(result)
    collect_orders(result)
    collect_collectives(result)
    keys = {point.key for fitted in result.transports.values()
            for one in fitted.observations + fitted.compared for point in one.points}
    keys |= {key for order in result.orders.values() for key in order.keys}
    keys |= {point.key for some in result.host.observations.values() for point in some}
    for what in ("late_receiver", "eager_room", "overlap", "reduction", "matching"):
        keys |= {point.key for point in result.points.of_probe(what)}
    if result.collectives:
        keys |= {case_key(case.measured) for case in result.collectives.cases}
    result.fitted = sorted(keys | set(result.fitted))


def collect_gpus(result):
    found = result.gpus
    for name, (number, unit, evidence) in found.values.items():
        low, high = found.intervals.get(name, (None, None))
        result.parameters[name] = Parameter(number, unit, evidence, low, high)
    result.assumed.update(found.assumed)
    add_new(result.notes, found.notes)
    result.fitted = sorted({point.key for points in found.observations.values()
                            for point in points})


def collect_transport(result, prefix, fitted):
    steady, jitter = fitted.transport.parts()
    values = transport.values_of(dataclasses.replace(fitted.transport, latency=steady))
    free = {name for group in fitted.free for name in group}
    told = [(name, fitted.evidence.get(name.split(".")[0], ""))
            for name in sorted(free, key=list(values).index)]
    told += sorted(fitted.told.items())
    told += [(name, fitted.evidence[name]) for name in sorted(fitted.fixed)]
    for name, evidence in told:
        result.parameters[f"{prefix}.{name}"] = Parameter(values[name], unit_of(name), evidence)
    for index, one in enumerate(jitter.segments):
        for part in ("time", "cost"):
            if getattr(one, part):
                result.parameters[f"{prefix}.jitter.{index}.{part}"] = Parameter(
                    getattr(one, part), unit_of(f".{part}"),
                    "assumed" if "jitter" in fitted.assumed else "collectives")
    if fitted.evidence.get("wire"):
        add_wire(result, values["wire"], fitted.evidence["wire"])
    for name, unit in (("eager_limit", "B"), ("eager_room", "B"), ("interrupt_interval", "s")):
        if name in fitted.evidence:
            result.parameters[f"{prefix}.{name}"] = Parameter(
                getattr(fitted.transport, name), unit, fitted.evidence[name],
                *fitted.brackets[name])
    if "eager_piece" in fitted.evidence:
        result.notes.append(f"{prefix}.eager_piece {fitted.transport.eager_piece:.0f} B, a packet: "
                            f"{fitted.evidence['eager_piece']}")
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
            unit, bounds = ("s", result.host.match_range) if name == "match_cost" else ("s/B", ())
            result.parameters[f"library.{name}"] = Parameter(getattr(result.host, name), unit,
                                                             evidence, *bounds)
    result.assumed.update((f"library.{name}", text) for name, text in result.host.assumed.items())
    result.undetermined.update((f"cluster.host.{name}", text)
                               for name, text in result.host.undetermined.items())
    add_new(result.notes, result.host.notes)


def collect_progress(result):
    if result.progress.assumed:
        result.assumed["library.progress"] = result.progress.assumed
    if result.progress.bracket:
        result.parameters["library.network.buffer"] = Parameter(
            result.progress.buffer, "B", result.progress.buffer_evidence, *result.progress.bracket)
    if result.progress.rts_bracket:
        result.parameters["library.network.rts_data"] = Parameter(
            result.progress.rts_data, "B", "overlap at the sender, without MPI_Test",
            *result.progress.rts_bracket)
    if result.progress.rts_doubt:
        result.undetermined["library.network.rts_data"] = result.progress.rts_doubt
    if not result.progress.bracket and result.kind == "tcp":
        result.assumed["library.network.buffer"] = "0 B: no overlap at the receiver was measured"


def collect_orders(result):
    notes = []
    for way, order in result.orders.items():
        if order.word:
            notes.append(f"library.{way}.order {order.word}: {order.why}")
        else:
            result.undetermined[f"library.{way}.order"] = order.why
        if order.eager_together:
            notes.append(f"library.{way}: in the model eager messages go in order, but "
                         f"{order.eager_together}")
    add_new(result.notes, notes)


def collect_trace(result):
    """Parameters from the calls of a traced ring; its intervals stand beside it."""
    for name, (value, low, high) in result.trace.intervals.items():
        result.parameters[f"library.{name}"] = Parameter(value, "s/B", "trace", low, high)
        result.host.assumed.pop(name, None)
    result.undetermined["everything else"] = "a traced ring determines these alone"
    result.assumed["library.copy_cost"] = result.host.assumed.get("copy_cost", "")


def collect_collectives(result):
    """Parameters assumed before, as the collectives have told them."""
    if not result.collectives:
        return
    values = transport.values_of(result.network)
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
        if one.name == "wire_share":
            collect_wire_share(result, values, index)
        if one.name in SCALED:
            name, unit, scale = SCALED[one.name]
            ends = (result.collectives.values[index], low, high)
            value, *ends = (None if end is None else end * scale for end in ends)
            result.parameters[name] = Parameter(value, unit, "collectives", *ends)
        for name in names.get(one.name, ()):
            value = result.host.reduce_cost if name == "reduce_cost" else \
                values[name.removeprefix("network.")]
            scale = value / result.collectives.values[index]
            parameter = Parameter(value, unit_of(name), f"collectives ({one.name})")
            if low is not None:
                parameter.low, parameter.high = low * scale, high * scale
            result.parameters[f"library.{name}"] = parameter
            result.assumed.pop(f"library.{name.removesuffix('.0.time')}", None)


def collect_wire_share(result, values, index):
    """The link, as ranks of a host together find it; the cores take what one pair's stream took."""
    for name in ("send_cost", "recv_cost"):
        result.parameters[f"library.network.{name}"] = Parameter(
            values[name], "s/B", "one pair's stream, its cores the limit")
        result.assumed.pop(f"library.network.{name}", None)
    found = Parameter(1 / values["wire"], "B/s", "collectives (wire_share)")
    low, high = result.collectives.intervals.get(index, (None, None))
    if low:
        streamed = values["wire"] / result.collectives.values[index]
        found.low, found.high = 1 / (high * streamed), 1 / (low * streamed)
    result.parameters["cluster.link.bandwidth"] = found


def add_intervals(result, settings):
    """95 % intervals of all parameters that have samples or residuals."""
    generator = np.random.default_rng(settings.seed)
    if result.gpus:
        gpus.add_intervals(result.gpus, result.points, settings.bootstrap, generator)
        if result.gpus.intervals:
            result.drawn["gpus"] = "samples drawn again"
    if result.only_gpus:
        gather(result)
        return
    for way, fitted in result.transports.items():
        found = intervals_of(fitted, settings.bootstrap, generator)
        for name, (low, high) in found.items():
            if f"library.{way}.{name}" in result.parameters:
                parameter = result.parameters[f"library.{way}.{name}"]
                whole = transport.values_of(fitted.transport)[name]
                share = parameter.value / whole if whole else 1.0  # the rest is jitter
                parameter.low, parameter.high = share * low, share * high
        if found:
            result.drawn[way] = way_of_drawing(fitted)
        add_brackets(result, way, fitted)
    add_jitter_intervals(result)
    add_wire_interval(result, settings, generator)
    drawn = [cores.redrawn_costs(result.host, generator) for _ in range(settings.bootstrap)]
    for name in result.host.observations if settings.bootstrap > 1 else ():
        parameter = result.parameters[f"library.{name}"]
        parameter.low, parameter.high = interval([one[name] for one in drawn])


def add_brackets(result, way, fitted):
    """Widens intervals to the range that the probes leave open, beside what chance might have
    measured."""
    for name, (low, high) in fitted.brackets.items():
        parameter = result.parameters.get(f"library.{way}.{name}")
        if parameter:
            parameter.low = min(low, parameter.low if parameter.low is not None else low)
            parameter.high = max(high, parameter.high if parameter.high is not None else high)


def add_wire_interval(result, settings, generator):
    if settings.bootstrap < 2 or "wire" not in result.transports["network"].evidence:
        return
    if result.collectives and any(one.name == "wire_share" for one in result.collectives.unknowns):
        return  # the collectives say it
    low, high = interval(wires_drawn_again(result.points, result.transports["network"],
                                           result.nominal, settings.bootstrap, generator))
    for name, scale in (("library.network.goodput", result.nominal),
                        ("cluster.link.bandwidth", 1.0)):
        parameter = result.parameters.get(name)
        if parameter and scale and low > 0:
            parameter.low, parameter.high = 1 / (high * scale), 1 / (low * scale)


def add_jitter_intervals(result):
    """Intervals of the jitter, in proportion to the share that the collectives found."""
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
