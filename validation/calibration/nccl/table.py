#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Predicted and measured times of NCCL's collectives on the rows that SPLIT.md holds out.

Usage: python3 -m validation.calibration.nccl.table
Prints the present outcomes in the table of published/README.md. RINGSCOPE names the simulator's
program.
"""

import json
import math
from typing import Callable, NamedTuple

import numpy as np

from common.programs import run_main
from validation import PUBLISHED
from validation.calibration.nccl import rows as published
from validation.calibration.nccl.fit import chosen_on_a100
from validation.calibration.nccl.form import PROTOCOLS
from validation.calibration.nccl.machines import folders_of, rows_by_machine
from validation.calibration.nccl.predict import A100, H100, V100_PCIE, Machine, predict
from validation.calibration.verdict.simulator import Simulator

STATED = 2 * published.MIB  # size up to which the source states four GPUs' choice
LARGE = 64 * published.MIB
EVERYWHERE = PUBLISHED / "nccl" / "everywhere.json"
# No constant was fitted to any row of theirs.
OTHERS = ("allgather", "reduce_scatter", "alltoall", "sendrecv")


def summary(errors) -> dict:
    errors = np.abs(np.array(errors))
    return {"rows": str(len(errors)), "median": f"{np.median(errors):.1%}",
            "p90": f"{np.quantile(errors, 0.9):.1%}", "most": f"{np.max(errors):.1%}"}


def errors_of(simulator, machine, library, some) -> np.ndarray:
    predicted = predict(simulator, machine, library, some)
    return np.array(predicted) / [row.seconds for row in some] - 1


def held_out(some) -> list:
    return [row for row in some if not row.fitted and row.collective == "allreduce"]


class HeldOut(NamedTuple):
    """Rows of the project's table of errors: allreduces of a machine that no fit has seen."""
    machine: Machine
    library: str
    rows: Callable[[], list]
    SOURCE: str

    def errors_of(self, simulator: Simulator) -> np.ndarray:
        return errors_of(simulator, self.machine, {"base": self.library}, held_out(self.rows()))


class Omitted:
    """Kept predictions of published machines, each by a fit that omits it: nccl.everywhere."""
    SOURCE = "nccl/machines.md"

    @staticmethod
    def errors_of(_simulator) -> np.ndarray:
        """Relative errors: a time that is half of a measured one is as wrong as its double."""
        kept = json.loads(EVERYWHERE.read_text(encoding="utf-8"))["omitted"]
        errors = []
        for name, rows in rows_by_machine(folders_of("")).items():
            known = {tuple(one[:-1]): one[-1] for one in kept[name]}
            errors += [abs(math.log(1e-6 * known[row.collective, row.ranks, row.hosts, row.size]
                                    / row.seconds)) for row in rows]
        return np.expm1(np.array(errors))


# The H100's profile by SPLIT.md's rows alone; the one that users get has seen all of them.
H100_SPLIT = str(PUBLISHED / "nccl" / "h100_split.yaml")

HELD_OUT = {"nccl_a100": HeldOut(A100, "nccl_a100", lambda: published.a100_auto(4),
                                 "openfabric-systems/simllm"),
            "nccl_h100": HeldOut(H100, H100_SPLIT, lambda: published.h100_hosts(4),
                                 "xxrjun/nccl-tests-cluster"),
            "nccl_omitted": Omitted}


def of_protocols(simulator) -> np.ndarray:
    """Errors on curves of another harness, whose factor and constant are taken from every fourth
    row of those with as many GPUs."""
    errors = []
    curves = published.a100_protocols()
    for ranks in (2, 4):
        some = [row for (_, count), curve in curves.items() if count == ranks for row in curve]
        predicted = np.array(predict(simulator, A100, {"base": "nccl_a100"}, some))
        measured = np.array([row.seconds for row in some])
        seen = np.array([row.fitted for row in some])
        matrix = np.stack([predicted, np.ones(len(some))], axis=1) / measured[:, None]
        (factor, more), *_ = np.linalg.lstsq(matrix[seen], np.ones(seen.sum()), rcond=None)
        errors.append((factor * predicted + more)[~seen] / measured[~seen] - 1)
    return np.concatenate(errors)


def choice(simulator) -> dict:
    """Share of sizes where the time is that of the stated protocol, forced, and of no other."""
    right = []
    for ranks in (2, 4):
        some = [row for row in published.a100_auto(ranks) if ranks == 2 or row.size <= STATED]
        stated = [chosen_on_a100(row).protocol for row in some]
        auto = predict(simulator, A100, {"base": "nccl_a100"}, some)
        forced = {name: predict(simulator, A100, {"base": "nccl_a100"},
                                [published.Row(ranks, row.size, row.seconds, name) for row in some])
                  for name in PROTOCOLS}
        for i, name in enumerate(stated):
            same = [one for one in PROTOCOLS if abs(forced[one][i] / auto[i] - 1) < 1e-6]
            right.append(same == [name])
    return {"rows": str(len(right)), "median": f"{np.mean(right):.1%} equal", "p90": "", "most": ""}


def outcomes(simulator) -> list:
    """(what, summary) in the order of the table."""
    found = []
    for ranks, name in ((2, "two"), (4, "four")):
        some = held_out(published.a100_auto(ranks))
        found.append((f"{name} A100, NCCL's choice, nccl_a100",
                      summary(errors_of(simulator, A100, {"base": "nccl_a100"}, some))))
    found.append(("A100, protocols forced, within their harness", summary(of_protocols(simulator))))
    found.append(("A100, the choice", choice(simulator)))
    machines = ((V100_PCIE, "nccl_v100_pcie", "four V100 behind PCIe", published.v100_pcie()),
                (H100, H100_SPLIT, "four H100 of one host", published.h100_host()),
                (H100, H100_SPLIT, "ten hosts, an H100 each", published.h100_hosts(1)),
                (H100, H100_SPLIT, "ten hosts, four H100 each", published.h100_hosts(4)))
    for machine, library, name, all_rows in machines:
        some = [row for row in all_rows if row.collective == "allreduce"]
        sheet = errors_of(simulator, machine, {"base": "nccl_a100", "blocks": machine.sheet}, some)
        found.append((f"{name}, scaled from data sheet", summary(sheet)))
        large = [error for error, row in zip(sheet, some) if row.size > LARGE]
        found.append((f"{name}, scaled from data sheet, above 64 MiB", summary(large)))
        label = "h100_split" if library == H100_SPLIT else library
        found.append((f"{name}, {label}", summary(
            errors_of(simulator, machine, {"base": library}, held_out(some)))))
        for collective in OTHERS:
            if some := [row for row in all_rows if row.collective == collective]:
                found.append((f"{name}, {collective}, {label}", summary(
                    errors_of(simulator, machine, {"base": library}, some))))
    return found


def main():
    lines = ["| held-out rows | how many | median | 90 % | most |", "|---|---|---|---|---|"]
    for what, now in outcomes(Simulator()):
        lines.append("| " + " | ".join([what, *now.values()]) + " |")
    print("\n".join(lines))


if __name__ == "__main__":
    run_main(main)
