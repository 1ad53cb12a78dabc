#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Fits what NCCL costs by generation of GPUs and by network to all published machines, and predicts
each machine by what the others say: published/nccl/machines.md.

Usage: python3 -m validation.calibration.nccl.everywhere [--data FOLDER] [--begin FILE] [-o FILE]
Prints errors machine by machine, each omitted of the fit that predicts it; -o writes what was
predicted, and the fit to all machines, as JSON. RINGSCOPE names the simulator.

Each cost is the A100's, scaled as NCCL's own tables are by generation, or NCCL's own of a
network, times a factor of all generations (networks), one of a family of networks, and one of its
own. Logarithms of factors are drawn to 0 by widths. Least squares of logarithms of times, robust
to outliers, in which each machine counts as much as any other, find them by Gauss and Newton.
"""

import argparse
import json
import pathlib

import numpy as np

from common.programs import run_main, write_text
from validation.arguments import parsed
from validation.calibration.nccl.fit import GRANTED, fit_a100
from validation.calibration.nccl.form import FLAGS, KEYS, PROTOCOLS
from validation.calibration.nccl.least_squares import (ENOUGH, REFITS, ROUNDS, covariance_of,
                                                       errors, fitted, weight_of, without)
from validation.calibration.nccl.machines import MACHINES, folders_of, report, rows_by_machine
from validation.calibration.nccl.predict import scenario_of, seconds_of
from validation.calibration.nccl.profile import BETWEEN, OVER_PCIE, digits
from validation.calibration.verdict.simulator import Simulator, batch
from validation.yaml_files import tables_of

# Costs of kernels on GPUs, and of blocks between hosts.
OF_GPUS = ["launch", "issue", "exchange_start", "call", "in_switch",
           *(f"{p}.{key}" for p in PROTOCOLS for key in KEYS)]
OF_NETWORKS = ([f"{p}.{key}" for p in PROTOCOLS for key in ("between", "gap")] + ["cables"])
WIDE, TRANSPORTS, FAMILIES, STATED = tables_of(__file__).values()
REACHED = 0.5  # width of the share of its links that a network reaches
GAP = 0.1e-6  # s that a message keeps a proxy, before anything is known
IN_SWITCH = 0.604
# Shares of their links that heads of NVLS use (NCCL 2.30.7, src/graph/tuning.cc, nvlsEfficiency).
OF_HEADS = {"ampere": 1, "hopper": 1, "blackwell": 0.74 / 0.85}
ISSUE = 4.263e-6
EXCHANGE = 5e-6  # s until a block of an exchange has begun, before anything is known
CALL = 10e-6  # s that a program in PyTorch adds to a call, likewise


def transport_of(machine) -> str:
    """Kind of network as the machine's cluster has it; "" where no row goes between hosts."""
    return TRANSPORTS.get(machine.cluster, "infiniband")


def owners_of(machine, key: str) -> list:
    """Owners of the factors of a machine's cost, those of many machines first."""
    if key in OF_GPUS:
        return ["all generations", machine.generation]
    return networks_of(transport_of(machine))


def networks_of(kind: str) -> list:
    """Owners of the factors of a network's costs."""
    return ["all networks", FAMILIES[kind], kind]


def widths_by(key: str) -> tuple:
    """Widths of the logarithm of a cost's factor: of all or a family, and of one alone."""
    common, own = WIDE[key.split(".")[-1]]
    return common, REACHED if key == "cables" else own


def parts_of(machine, key: str) -> list:
    """(name, width) of each logarithm that a machine's cost is the sum of."""
    common, own = widths_by(key)
    wide = {"all generations", "all networks", *FAMILIES.values()}
    return [((owner, key), common if owner in wide else own) for owner in owners_of(machine, key)]


class Factors:
    """Names of all logarithms of factors of costs, their widths, and their sums for a machine.
    `parts`: as parts_of."""

    def __init__(self, machines: list, keys=tuple(OF_GPUS + OF_NETWORKS), parts=parts_of):
        self.machines, self.keys, self.parts = machines, keys, parts
        widths = dict(part for machine in machines for key in keys for part in parts(machine, key))
        self.names, self.widths = list(widths), list(widths.values())
        self.index = {name: i for i, name in enumerate(self.names)}

    def of(self, machine, logs) -> dict:
        """{key: logarithm}."""
        return {key: sum(logs[i] for i in self.columns(machine, key)) for key in self.keys}

    def columns(self, machine, key: str) -> list:
        """Places of the logarithms that the key's is the sum of."""
        return [self.index[name] for name, _ in self.parts(machine, key)]


def library_of(base, machine, logs: dict) -> dict:
    """The library of a machine, by {key: logarithm of a factor}."""
    factor = {key: float(np.exp(value)) for key, value in logs.items()}
    micros = lambda seconds: f"{digits(1e6 * seconds)} us"
    call = CALL * factor["call"] if machine.harness == "pytorch" else 0
    blocks = {"launch": micros(base.launch * factor["launch"] + call),
              "exchange_start": micros(EXCHANGE * factor["exchange_start"]),
              "issue": micros(ISSUE * factor["issue"]), "nccl": machine.nccl,
              "generation": machine.generation,
              "in_switch": digits(min(1, IN_SWITCH * OF_HEADS[machine.generation]
                                      * factor["in_switch"]))}
    if transport_of(machine) in STATED:
        blocks["nic_latency"] = STATED[transport_of(machine)]
    granted = GRANTED[machine.generation]
    for name in PROTOCOLS:
        of, scaled = base.of[name], lambda key: factor[f"{name}.{key}"]
        carries = min(FLAGS[name], of["carries"] * scaled("carries"))
        blocks[name] = {
            "start": micros(of["start"] * scaled("start")),
            "hop": micros(of["hop"] * scaled("hop")),
            "hop_between_hosts": micros(BETWEEN[name] * scaled("between")),
            "message_gap": micros(GAP * scaled("gap")),
            "carries": digits(carries),
            "carries_over_pcie": digits(min(1.0, scaled("carries")) * FLAGS[name] * OVER_PCIE),
            "carries_between_hosts": digits(FLAGS[name] * min(1.0, factor["cables"])),
            **{key: f"{digits(of[key] * granted[name] * scaled(key) / 1e9)} GB/s"
               for key in ("block", "copy", "gpu")}}
    return {"base": "cuda_pinned", "blocks": blocks}


class Predictor:
    """Seconds of rows, by the simulator."""

    def __init__(self, simulator: Simulator, base):
        self.simulator, self.base = simulator, base
        self.protocols = {}  # {(machine's name, row): the one that was chosen, "": several}

    def seconds(self, asked: list) -> list:
        """An array for each (machine, rows, {key: logarithm})."""
        tasks = []
        for machine, rows, logs in asked:
            library = self.library_of(machine, logs)
            tasks += [(machine, row, library) for row in rows]
        ends = np.cumsum([len(rows) for _, rows, _ in asked])
        return np.split(self.run(tasks), ends[:-1])

    def library_of(self, machine, logs: dict) -> dict:
        return library_of(self.base, machine, logs)

    def cluster_of(self, machine, row) -> dict:
        return {"base": machine.cluster, "hosts": max(2, row.hosts)}

    def run(self, tasks: list) -> np.ndarray:
        cases = batch(self.simulator, {},
                      [{**scenario_of(self.cluster_of(machine, row), row), "library": library}
                       for machine, row, library in tasks],
                      [f"{machine.name} {row.size} B" for machine, row, _ in tasks])
        for (machine, row, _), case in zip(tasks, cases):
            words = case["chosen"].split(", ")
            self.protocols[machine.name, row] = words[1] if len(words) > 1 else ""
        return np.array(seconds_of(cases))


def widths_of(factors, linear: dict) -> dict:
    """{name of a network: {cost: standard deviation of its logarithm}}; of a network that no row is
    of, by its family."""
    covariance = covariance_of(factors, [slopes * weight_of(left) for left, slopes in
                                         linear.values()])
    found = {}
    for kind in FAMILIES:
        found[kind] = {}
        for key in OF_NETWORKS:
            owners = [(owner, key) for owner in networks_of(kind)]
            places = [factors.index[one] for one in owners if one in factors.index]
            alone = 0 if owners[-1] in factors.index else widths_by(key)[1]
            found[kind][key] = round(float(np.sqrt(covariance[np.ix_(places, places)].sum()
                                                   + alone ** 2)), 3)
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    given = parsed(parser, "nccl data", "nccl everywhere", rounds=ROUNDS)
    rows_of = rows_by_machine(folders_of(given.data))
    machines = [machine for machine in MACHINES if machine.name in rows_of]
    factors = Factors(machines)
    predictor = Predictor(Simulator(), fit_a100()[0])
    # For fits: of long curves every second size.
    few = {name: rows[::2] if len(rows) > 60 else rows for name, rows in rows_of.items()}
    logs = np.zeros(len(factors.names))
    if given.begin:
        known = json.loads(pathlib.Path(given.begin).read_text(encoding="utf-8"))["factors"]
        logs = np.array([known.get(f"{owner}: {key}", 0.0) for owner, key in factors.names])
    start = predictor.seconds([(m, rows_of[m.name], factors.of(m, logs)) for m in machines])
    report("before", {m.name: errors(s, rows_of[m.name]) for m, s in zip(machines, start)}, rows_of)
    logs, linear = fitted(predictor, factors, few, logs, given.rounds)
    logs, linear = fitted(predictor, factors, few, logs, REFITS, enough=ENOUGH, kept=linear)
    omitted = {m.name: without(predictor, factors, linear, few, logs, m.name) for m in machines}
    seconds = predictor.seconds([(m, rows_of[m.name], factors.of(m, omitted[m.name]))
                                 for m in machines])
    report("omitted", {m.name: errors(s, rows_of[m.name]) for m, s in zip(machines, seconds)},
           rows_of)
    if given.o:
        write_text(given.o, json.dumps({
            "factors": {f"{owner}: {key}": round(value, 4)
                        for (owner, key), value in zip(factors.names, logs)},
            "between_hosts": [m.name for m in machines
                              if any(row.hosts > 1 for row in rows_of[m.name])],
            "widths": widths_of(factors, linear),
            "omitted": {m.name: [[row.collective, row.ranks, row.hosts, row.size,
                                   float(f"{1e6 * s:.4g}")]
                                  for row, s in zip(rows_of[m.name], predicted)]
                         for m, predicted in zip(machines, seconds)}}, indent=1) + "\n")


if __name__ == "__main__":
    run_main(main)
