# SPDX-License-Identifier: LGPL-2.1-or-later
"""Other models that the measurements allow as well: what the interval of a prediction is made of.

Each is fitted anew to what chance might have measured (fit/bootstrap.py); what nothing identifies
is drawn from the range in which it may lie. The least and the greatest of COUNT predictions hold
COUNT - 1 of COUNT + 1 further ones, whatever their distribution is.
"""

import dataclasses
import math

import numpy as np

from validation.calibration.fit import bootstrap, collectives, profile, segments
from validation.calibration.fit.cores import USUAL_DETOURS
from validation.calibration.fit.network import is_published_over_tcp, wires_drawn_again
from validation.calibration.fit.observations import redrawn
from validation.calibration.fit.transport import SIZED
from validation.calibration.fit.unknowns import unknowns_of

COUNT = 19
FACTOR = 3.0  # of what is usual for a core or a memory, either way
ENDS = ("send_overhead", "recv_overhead", "send_cost", "recv_cost", "connection_cost")
COSTS = ("send_cost", "recv_cost", "unexpected_cost")


@dataclasses.dataclass
class Draws:
    """`models`: of each draw what differs from the fit, {"library": ..., "bandwidth": ...};
    `ranges`: {name of what is not identified: (value, unit, least, most, why)}."""
    models: list
    ranges: dict


def draw_again(result, settings) -> Draws:
    """None where there are no transports to draw, or no intervals are asked for."""
    if result.only_gpus or result.trace or settings.bootstrap < 2:
        return None
    generator = np.random.default_rng(settings.seed)
    base, wires = profile.library_of(result), wires_of(result, generator)
    drawn = [one_more(result, index, wires, generator) for index in range(COUNT)]
    ranges = {name: (value, unit, min(values), max(values), why)
              for name, (value, unit, values, why) in unidentified(result, drawn).items()}
    models = [difference(result, base, one) for one in drawn]
    for index, one in enumerate(models):  # tables that were not ruled out take turns
        if result.tables:
            one["algorithms"] = {collective: names[index % len(names)]
                                 for collective, names in result.tables.items()}
    return Draws(models, ranges)


def wires_of(result, generator) -> list:
    """Seconds per byte of the link, none where nothing tells."""
    network = result.transports["network"]
    if "wire" not in network.evidence:
        return []
    return wires_drawn_again(result.points, network, result.nominal, COUNT, generator)


def one_more(result, index, wires, generator):
    """The whole calibration, drawn again."""
    network = result.transports["network"]
    if wires:
        network = network.changed(wire=wires[index % len(wires)])
    changed = dataclasses.replace(result, transports=result.transports | {"network": network})
    unknowns, values = open_values(result, index, generator)
    if not network.observations:
        changed.transports["network"] = local_again(network, generator)
    by_chance = redrawn(network.observations, bootstrap.drawing(generator, network.transport))
    fitted, host = collectives.applied(changed, unknowns, values, by_chance)
    transport = fitted["network"]
    if "connection_cost" in network.assumed:  # numbers of its own: the others' stay as they were
        factor = spread(np.random.default_rng(index))
        transport = dataclasses.replace(transport,
                                        connection_cost=transport.connection_cost * factor)
    if "copy_cost" in host.assumed:
        host.copy_cost *= spread(generator)
    if detours_are_open(result):
        host.detours = USUAL_DETOURS * spread(np.random.default_rng([index, 1]))
    transports = {"network": dataclasses.replace(network, transport=transport)}
    for way in ("self", "shm"):
        transports[way] = (dataclasses.replace(result.transports[way], transport=fitted[way])
                           if way in fitted else local_again(result.transports[way], generator))
    return dataclasses.replace(changed, host=host, transports={
        way: with_doubts(one, np.random.default_rng(index)) for way, one in transports.items()})


def detours_are_open(result) -> bool:
    """True if mean times of collectives on one number of hosts may hold detours."""
    told = [one.name for one in result.collectives.unknowns] if result.collectives else ["detours"]
    return "detours" not in told and is_published_over_tcp(result.transports["network"],
                                                           result.points)


def with_doubts(fitted, generator):
    """Numbers that the probes contradict may be anywhere in their brackets, any power of two alike.
    The generator is of their own: other numbers stay as they were."""
    changes = {name: float(np.rint(np.exp(generator.uniform(*np.log(np.maximum(bracket, 1.0))))))
               for name, bracket in fitted.brackets.items()
               if name in fitted.doubts and math.isfinite(bracket[1])}
    return fitted.changed(**changes)


def open_values(result, index, generator) -> tuple:
    """(unknowns, values): as the collectives leave them, or from anywhere in their ranges."""
    if result.collectives:
        fit = result.collectives
        return fit.unknowns, fit.drawn[index] if len(fit.drawn) > index else fit.values
    unknowns = unknowns_of(result)
    values = [one.start * spread(generator) if one.name == "reduce_cost"
              else generator.uniform(one.low, one.high) for one in unknowns]
    return unknowns, np.array(values)


def spread(generator) -> float:
    return float(FACTOR ** generator.uniform(-1, 1))


def local_again(fitted, generator):
    """A transport inside a host: fitted again, or within a factor of the usual."""
    if not fitted.observations:
        return dataclasses.replace(fitted, transport=scaled(fitted.transport, spread(generator)))
    draw = bootstrap.drawing(generator, fitted.transport)
    return dataclasses.replace(fitted, transport=fitted.drawn_again(draw))


def scaled(transport, factor: float):
    changes = {name: getattr(transport, name) * factor for name in COSTS}
    for name in SIZED:
        sized: segments.Sized = getattr(transport, name)
        changes[name] = sized.with_values(sized.times * factor, sized.costs * factor)
    return dataclasses.replace(transport, **changes)


def unidentified(result, drawn: list) -> dict:
    """{name: (value, unit, values drawn, why)} of what the fit assumes."""
    found = {}
    for way, fitted in result.transports.items():
        if way in fitted.assumed:  # as a whole: its latency stands for it
            why = fitted.assumed[way]
            found[f"library.{way}.latency"] = (
                fitted.transport.latency.times[0], "s",
                [one.transports[way].transport.latency.times[0] for one in drawn], why)
        for name in ENDS:
            if name in fitted.assumed and f"library.{way}.{name}" in result.assumed:
                found[f"library.{way}.{name}"] = of_end(fitted, way, name, drawn)
    for name in ("reduce_cost", "copy_cost"):
        if f"library.{name}" in result.assumed and name in result.host.assumed:
            found[f"library.{name}"] = (getattr(result.host, name), "s/B",
                                        [getattr(one.host, name) for one in drawn],
                                        result.host.assumed[name])
    if detours_are_open(result):
        found["library.detours"] = (0.0, "", [one.host.detours for one in drawn],
                                    "collectives on two numbers of hosts determine them")
    if not result.collectives and result.transports["network"].observations:
        found["library.network.jitter"] = (
            first_jitter(result), "s", [first_jitter(one) for one in drawn],
            "no collective was measured: any share of a latency may come and go")
    return {name: one for name, one in found.items() if max(one[2]) > 0}


def of_end(fitted, way, name, drawn) -> tuple:
    def value(transport):
        found = getattr(transport, name)
        return float(found.times[0]) if isinstance(found, segments.Sized) else float(found)

    return (value(fitted.transport), "s/B" if name in COSTS else "s",
            [value(one.transports[way].transport) for one in drawn], fitted.assumed[name])


def first_jitter(result) -> float:
    return float(result.network.parts()[1].times[0])


def difference(result, base: dict, drawn) -> dict:
    library = profile.library_of(drawn)
    found = {"library": {key: library.get(key) for key in base | library
                         if base.get(key) != library.get(key)}}
    before, after = (profile.cluster_of(one)["link"]["bandwidth"] for one in (result, drawn))
    return found | ({"bandwidth": after} if before != after else {})
