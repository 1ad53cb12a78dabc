#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Fits the costs of NCCL's protocols to published times, as SPLIT.md allows, and writes a profile.

Usage: python3 -m validation.calibration.nccl.fit NAME > scenarios/libraries/nccl_NAME.yaml
NAME: a100, v100_pcie or h100.
The A100 has a table of channels and SMs, by which all constants can be told apart that the report
below the profile does not name. The others have three times each: what they tell is by how much
the A100's latencies, rates of blocks in their generation and shares of links have to be multiplied,
and each factor is drawn to 1 where the times do not say.
"""

import math
import sys

import numpy as np
from scipy.optimize import least_squares

from common.programs import run_main
from validation.calibration.nccl.form import FLAGS, KEYS, PROTOCOLS, Costs, seconds_of
from validation.calibration.nccl.predict import H100, V100_PCIE, predict
from validation.calibration.nccl.profile import BETWEEN, OVER_PCIE, digits, library_of, yaml_of
from validation.calibration.nccl.rows import (Row, a100_auto, a100_channels, h100_host,
                                              h100_hosts, v100_pcie)
from validation.calibration.verdict.simulator import Simulator
from validation.yaml_files import tables_of

AUTO_WEIGHT = 3  # of the curves in the harness that is predicted
TOLD = 0.3  # standard error of the logarithm up to which a constant counts as told


def chosen_on_a100(row: Row) -> Row:
    """With protocol and channels, as the source of the curves states them."""
    if row.ranks == 2:
        protocol, channels = ("LL" if row.size <= 589_824 else "Simple"), 8
    else:
        protocol = "LL" if row.size <= 1_458_176 else "LL128"
        channels = min(24, row.size // (16384 if protocol == "LL" else 5120))
    return Row(row.ranks, row.size, row.seconds, protocol, channels, fitted=row.fitted)


def costs_of(logs) -> Costs:
    values = np.exp(logs)
    of = {name: dict(zip(KEYS, values[1 + i * len(KEYS):])) for i, name in enumerate(PROTOCOLS)}
    for name in PROTOCOLS:
        of[name]["carries"] = min(of[name]["carries"], FLAGS[name])
    return Costs(values[0], of)


def errors_on_a100(logs, rows: list) -> np.ndarray:
    costs = costs_of(logs)
    return np.array([math.log(seconds_of(costs, row) / row.seconds) for row in rows])


def fit_a100():
    """Costs, standard errors of their logarithms by name, and relative errors by file."""
    table = a100_channels()
    curves = [chosen_on_a100(row) for n in (2, 4) for row in a100_auto(n) if row.fitted]
    weights = np.array([1] * len(table) + [AUTO_WEIGHT] * len(curves))
    start = np.log([START["launch"], *(value for name in PROTOCOLS for value in START[name])])
    found = least_squares(lambda logs: weights * errors_on_a100(logs, table + curves), start,
                          loss="soft_l1", f_scale=0.05)
    names = ["launch"] + [f"{name}.{key}" for name in PROTOCOLS for key in KEYS]
    left = np.abs(errors_on_a100(found.x, table + curves))
    return costs_of(found.x), dict(zip(names, spread_of(found))), {
        "a100-channels.csv": left[:len(table)], "auto curves": left[len(table):]}


def spread_of(found):
    """Standard errors; infinite where nothing depends on it."""
    inner = found.jac.T @ found.jac
    scale = 2 * found.cost / max(1, len(found.fun) - len(found.x))
    values, vectors = np.linalg.eigh(inner)
    inverse = np.where(values > 1e-9 * values[-1], 1 / np.maximum(values, 1e-300), 1e300)
    return np.sqrt(np.minimum((vectors ** 2) @ inverse * scale, 1e12))


SETTINGS, ABOUT, HEADS, START, FACTORS, RATES = tables_of(__file__).values()
# Shares of what NCCL's tables grant an A100 on one host
GRANTED = {generation: {name: rate / RATES["ampere"][name] for name, rate in rates.items()}
           for generation, rates in RATES.items()}
MEASURED = 0.02  # relative error of a published median, where there are few
# Width of the logarithm of a factor, around 1. Of 0.1, 0.25 and 0.5, and of one factor or two for
# latencies, these predict each fitted row best from the other ones.
DRAWN = 0.1


def scaled(costs: Costs, factors, granted: dict) -> Costs:
    """`factors`: one of each of FACTORS. Rates are first those of the GPUs' generation, by NCCL's
    tables; a launch is the driver's, and stays."""
    flags, simple, rate, share, far, cables = factors
    of = {}
    for name, one in costs.of.items():
        faster = rate * granted[name]
        late = simple if name == "Simple" else flags
        of[name] = {"start": one["start"] * late, "hop": one["hop"] * late,
                    "between": BETWEEN[name] * far, "cables": min(1.0, cables),
                    "carries": min(FLAGS[name], one["carries"] * share),
                    "pcie": min(1.0 / OVER_PCIE, share),
                    **{key: one[key] * faster for key in ("block", "copy", "gpu")}}
    return Costs(costs.launch, of)


def issue_of(rows: list) -> str:
    """A host's time for a kernel: of the smallest call of a thread with several GPUs."""
    several = [row for row in rows if row.gpus_per_thread > 1]
    smallest = min(several, key=lambda row: row.size)
    return f"{digits(1e6 * smallest.seconds / smallest.gpus_per_thread)} us"


def fit_factors(costs: Costs, machine, simulator, settings: dict, rows: list):
    """Factors of the A100's costs by which the simulator comes nearest to these few rows, and what
    is left of its error on them."""
    granted = GRANTED[settings["generation"]]

    def errors(logs):
        library = library_of(scaled(costs, np.exp(logs), granted), settings)
        predicted = predict(simulator, machine, library, rows)
        return np.log(np.array(predicted) / [row.seconds for row in rows])

    # Steps are relative, and the logarithms begin at 0: the variable is one more.
    found = least_squares(lambda x: [*errors(x - 1) / MEASURED, *(x - 1) / DRAWN],
                          np.ones(len(FACTORS)), diff_step=0.05, max_nfev=12)
    return np.exp(found.x - 1), np.abs(errors(found.x - 1))


def head_of_a100(spread: dict, by_file: dict) -> str:
    untold = [name for name, error in spread.items() if error > TOLD]
    errors = "; ".join(f"{file}: median {np.median(some):.1%}, 90th percentile "
                       f"{np.quantile(some, 0.9):.1%} of {len(some)}"
                       for file, some in by_file.items())
    return HEADS["a100"].format(errors=errors, untold=", ".join(untold) or "none", told=TOLD)


def head_of_others(name: str, rows: list, factors, left) -> str:
    sizes = ", ".join(f"{row.size} B" for row in rows)
    parts = ", ".join(f"{what} {factor:.3f}" for what, factor in zip(FACTORS, factors))
    return HEADS["others"].format(parts=parts, sizes=sizes, most=np.max(left), name=name)


def text_of_a100() -> str:
    costs, spread, by_file = fit_a100()
    return yaml_of(head_of_a100(spread, by_file), ABOUT["a100"],
                   library_of(costs, SETTINGS["a100"]))


def text_of_another(name: str) -> str:
    costs, _, _ = fit_a100()
    machine, rows = (V100_PCIE, v100_pcie()) if name == "v100_pcie" else (
        H100, h100_host() + h100_hosts(1))
    rows = [row for row in rows if row.fitted]
    settings = {"issue": issue_of(rows), **SETTINGS[name]}
    factors, left = fit_factors(costs, machine, Simulator(), settings, rows)
    library = library_of(scaled(costs, factors, GRANTED[settings["generation"]]), settings)
    return yaml_of(head_of_others(name, rows, factors, left), ABOUT[name], library)


def main():
    name = sys.argv[1]
    print(text_of_a100() if name == "a100" else text_of_another(name), end="")


if __name__ == "__main__":
    run_main(main)
