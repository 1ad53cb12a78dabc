# SPDX-License-Identifier: LGPL-2.1-or-later
"""The fitted file: one YAML that the simulator reads both as a cluster and as a library."""

import dataclasses
import datetime
import math
import shlex

import numpy as np
import yaml

from common.quantities import (format_bandwidth, format_cost, format_time, format_whole_bytes,
                               parse_quantity)
from validation.calibration.fit import closed_forms, gpu_profile, reach, segments
from validation.calibration.fit.profile_units import in_unit
from validation.calibration.verdict.waits import detours_of

SCHEMA = 1
COSTS = {"send_cost": format_cost, "recv_cost": format_cost, "unexpected_cost": format_cost,
         "message_gap": format_time, "interrupt_interval": format_time,
         "connection_cost": format_time}  # of a transport, where they are not 0
LIMITS = ("eager_limit", "eager_room", "eager_piece")
SEGMENT = {"up_to": "unlimited", "time": "0 s", "cost": "0 s/B"}  # keys, with what they default to


class Line(dict):
    """A map that is written in one line."""


class Dumper(yaml.SafeDumper):
    """Knows lines."""


Dumper.add_representer(Line, lambda dumper, line: dumper.represent_mapping(
    "tag:yaml.org,2002:map", line, flow_style=True))


def sized(value: segments.Sized):
    """A time, or the list of its segments."""
    if len(value.segments) == 1 and not value.segments[0].cost:
        return format_time(value.segments[0].time)
    entries = []
    for one in value.segments:
        entry = {} if math.isinf(one.up_to) else {"up_to": format_whole_bytes(one.up_to)}
        entry["time"] = format_time(one.time)
        if one.cost:
            entry["cost"] = format_cost(one.cost)
        entries.append(entry)
    return entries


def transport_map(way: closed_forms.Transport) -> dict:
    steady, jitter = way.parts()
    found = {"latency": sized(steady)}
    if any(one.time or one.cost for one in jitter.segments):
        found["jitter"] = sized(jitter)
    for name in ("send_overhead", "recv_overhead"):
        if getattr(way, name).segments[0].time or len(getattr(way, name).segments) > 1:
            found[name] = sized(getattr(way, name))
    for name, form in COSTS.items():
        if getattr(way, name):
            found[name] = form(getattr(way, name))
    found["eager_limit"] = format_whole_bytes(way.eager_limit)
    for name in LIMITS[1:]:
        if math.isfinite(getattr(way, name)):
            found[name] = format_whole_bytes(getattr(way, name))
    found["driver"] = way.driver
    return found


def sized_of(value) -> segments.Sized:
    """Reverse of sized()."""
    return segments.Sized(tuple(segments.Segment(*(
        parse_quantity(one.get(key, usual)) for key, usual in SEGMENT.items()))
        for one in (value if isinstance(value, list) else [{"time": value}])))


def transport_of(found: dict, wire: float) -> closed_forms.Transport:
    """Reverse of transport_map()."""
    latency, jitter, *overheads = (sized_of(found.get(name, "0 s")) for name in (
        "latency", "jitter", "send_overhead", "recv_overhead"))
    whole = latency.with_values(latency.times + jitter.times, latency.costs + jitter.costs)
    return closed_forms.Transport(
        whole, *overheads, driver=found.get("driver", "caller"), wire=wire,
        late=tuple(jitter.times / np.maximum(whole.times, 1e-15)),
        **{name: parse_quantity(found[name]) for name in (*COSTS, *LIMITS) if name in found})


def later(transport, seconds: float):
    """The transport whose receivers take so much longer for each message."""
    overhead = transport.recv_overhead
    return dataclasses.replace(transport, recv_overhead=overhead.with_values(
        overhead.times + seconds, overhead.costs)) if seconds else transport


def library_of(result) -> dict:
    network, shm = (transport_map(later(result.transports[way].transport, result.host.receiving))
                    for way in ("network", "shm"))
    for name in ("buffer", "rts_data"):
        if size := getattr(result.progress, name):
            network[name] = format_whole_bytes(size)
    if result.goodput is not None and result.goodput < 1:
        network["goodput"] = float(f"{result.goodput:.4g}")
    progress = {"progress": result.progress.mode}
    if result.only_gpus:
        network, progress = gpu_profile.NETWORK, gpu_profile.progress_of(result.gpus)
    found = {"about": about(result), **progress,
            "reduce_cost": format_cost(result.host.reduce_cost),
            "copy_cost": format_cost(result.host.copy_cost),
            **({"match_cost": format_time(result.host.match_cost)} if result.host.match_cost
               else {}),
            **({"detours": detours_of(result.host.detours)} if result.host.detours else {}),
            "self": transport_map(result.transports["self"].transport),
            "shm": shm, "network": network}
    for way, order in result.orders.items():
        if order.word:
            found[way]["order"] = order.word
    if known := reach.reach_of(result):
        found["fitted"] = known
    if result.changes:
        found["uncached"] = [change_map(one) for one in result.changes]
    return found | (gpu_profile.library_of(result.gpus) if result.gpus else {})


def change_map(change) -> dict:
    """Values that differ for longer vectors."""
    found = {"above": format_whole_bytes(change.above)}
    found |= {name: format_cost(cost) for name, cost in change.costs.items()}
    if change.shm is not None:
        found["shm"] = {"recv_cost": format_cost(change.shm.recv_cost),
                        "recv_overhead": sized(change.shm.recv_overhead)}
    return found


def about(result) -> str:
    mpi = result.where["mpi"] or (result.where.get("driver") or "GPUs" if result.only_gpus
                                  else "an MPI")
    emulated = result.where["emulated"]
    return f"{mpi} as measured {result.where['date'][:10]}".strip() + (
        f", emulated: {emulated}" if emulated else "")


def machine_of(where) -> str:
    """CPU of a machine, and its GPUs by kind."""
    devices = where.get("devices") or []
    gpus = [f"{devices.count(name)} x {name}" for name in dict.fromkeys(devices)]
    return ", ".join([where["cpu"]] * bool(where["cpu"]) + gpus) or "as measured"


def cluster_of(result) -> dict:
    host = {"type": "simple", "cores": result.cores}
    if result.gpus:
        host = gpu_profile.host_of(result.gpus, result.cores)
    if math.isfinite(result.host.memory):
        host["memory_bandwidth"] = format_bandwidth(result.host.memory)
    bandwidth = format_bandwidth(result.bandwidth)
    if result.bandwidth == result.nominal:
        bandwidth = result.where["link_bandwidth"] or bandwidth
    return {"about": machine_of(result.where), "network": "star",
            "hosts": result.hosts, "link": {"bandwidth": bandwidth, "latency": "0 s"},
            "host": host}


def calibration_of(result, program, errors) -> dict:
    parameters = {}
    for name, one in result.parameters.items():
        entry = {"value": in_unit(one.value, one.unit)}
        if one.bounded:
            entry |= {"low": in_unit(one.low, one.unit), "high": in_unit(one.high, one.unit)}
        else:
            entry["interval"] = "not identifiable"
        parameters[name] = entry | {"unit": one.unit, "evidence": one.evidence}
    found = {"schema": SCHEMA, "date": now(), "program": program,
             "emulated": result.where["emulated"], "parameters": parameters,
             "assumed": result.assumed, "undetermined": result.undetermined,
             "progress_evidence": result.progress.evidence or result.progress.assumed,
             "intervals": result.drawn, "notes": result.notes, "errors": errors}
    if result.algorithms:
        found["algorithms"] = result.algorithms
    if result.trace:
        found["trace"] = result.trace.written()
    if result.draws:
        found |= drawn_of(result.draws)
    return found | {"fitted": result.fitted}


def drawn_of(draws) -> dict:
    """Entries for what is not identified, and the other models (fit/draws.py), one in a line."""
    return {"not_identified": {name: {"value": in_unit(value, unit), "low": in_unit(low, unit),
                                      "high": in_unit(high, unit), "why": why}
                               for name, (value, unit, low, high, why) in draws.ranges.items()},
            "draws": [Line(one) for one in draws.models]}


def now():
    return datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def text_of(result, program, command, errors) -> str:
    """The whole file."""
    where = result.where
    head = ["Fitted by `ringscope calibrate`; the key 'calibration' has the evidence.",
            f"Measured {where['date'] or 'at an unknown date'} on {where['cpu'] or 'unknown CPUs'}"
            f", {where['mpi'] or 'unknown MPI'}, link {where['link_bandwidth'] or 'unknown'}"
            + (f"; {where['source']}" if where["source"] else ""),
            f"Command: {' '.join([command[0], shlex.join(command[1:])])}"]
    if where["emulated"]:
        head.append(f"Emulated: {where['emulated']}")
    body = {"cluster": cluster_of(result), "library": library_of(result),
            "calibration": calibration_of(result, program, errors)}
    text = yaml.dump(body, Dumper=Dumper, sort_keys=False, width=100, allow_unicode=True)
    return "".join(f"# {' '.join(line.split())}\n" for line in head) + text
