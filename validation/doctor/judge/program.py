# SPDX-License-Identifier: LGPL-2.1-or-later
"""Count the doctor's correct diagnoses; SPLIT.md lists the curves for tuning and for judging.

Examples:
  validation/doctor/judge/judge cases
  validation/doctor/judge/judge faults --part judge --count 20
  validation/doctor/judge/judge healthy --part judge --count 100
  validation/doctor/judge/judge published

RINGSCOPE is the path of the simulator (default: the build next to the sources).
"""

import json
import pathlib
import sys
import time
from typing import NamedTuple

from common.programs import InputError, Parser, page_parser, run_main
from validation.arguments import parsed
from validation.calibration.imports.findings import Given
from validation.calibration.verdict.simulator import Simulator
from validation.doctor import curve, diagnosis, inputs, judgement, ranking
from validation.doctor.judge import machines_for_test as machines
from validation.doctor.what_if import WhatIf
from validation.progress import watched
from validation.yaml_files import read_yaml, tables_of

HERE = pathlib.Path(__file__).resolve().parent
CASES = HERE.parent / "cases"
VALIDATION = HERE.parent.parent
FIRST, HEALTHY = tables_of(__file__).values()
POSED = ("choose", "judge", "all")  # parts of the curves that are not drawn


class Said(NamedTuple):
    """The truth of a curve, what the doctor said, and whether the first two have it."""

    name: str
    truth: str
    said: str
    right: bool
    alike: str
    seconds: float


def said_of(name: str, truth: list, found: diagnosis.Diagnosis, seconds: float) -> Said:
    if found.normal:
        said = judgement.verdict(found)[0]
        return Said(name, "/".join(truth), said, said in truth, "", seconds)
    causes = [one.name for one in found.causes]
    right = bool(set(causes[:2]) & set(truth)) or bool(set(found.remarks()) & set(truth))
    place = next((i + 1 for i, one in enumerate(causes) if one in truth), 0)
    same = [one.name for one in ranking.alike(found.ranked)]
    return Said(name, "/".join(truth), ", ".join(causes[:3]) + f" (true: {place or 'not there'})",
                right, " ".join(same), seconds)


def examine(what_if, name: str, truth: list, found: diagnosis.Diagnosis) -> Said:
    begun = time.monotonic()
    found.first = ranking.abnormal(found.curve.points, found.errors)
    if not found.normal:
        found.ranked = diagnosis.rank(what_if, found)
    return said_of(name, truth, found, time.monotonic() - begun)


def read(what_if, log, cluster: str) -> diagnosis.Diagnosis:
    simulator = what_if.simulator
    chooser = curve.Chooser(simulator.algorithms(), simulator.nccl(),
                            inputs.algorithms_of(str(cluster)))
    return machines.begun(what_if, curve.read([str(log)], Given(), chooser), str(cluster))


def cases() -> list:
    """(part, name, truth, log, cluster) of each."""
    truths = read_yaml(CASES / "truth.yaml")
    return [(one["part"], name, one["truth"],
             next(CASES.glob(f"{name}.csv"), None) or CASES / f"{name}.log",
             CASES / f"{name}.yaml") for name, one in truths.items()]


def published() -> list:
    """As cases(): curves of healthy machines."""
    return [(part, pathlib.Path(log).name, ["normal"], VALIDATION / log,
             VALIDATION / cluster if cluster.endswith(".yaml") else cluster)
            for log, cluster, part in HEALTHY]


def posed(simulator, part: str, curves: list) -> list:
    found = []
    for own, name, truth, log, cluster in curves:
        if part in ("all", own):
            what_if = WhatIf(simulator)
            found.append(examine(what_if, name, truth, read(what_if, log, cluster)))
            tell(found[-1])
    return found


def drawn(simulator, kind: str, part: str, count: int, seed=None, good_day=False) -> list:
    found, what_if = [], WhatIf(simulator)
    first = FIRST[kind][part]
    seeds = [seed] if seed is not None else range(first, first + count)
    for seed in watched(seeds, f"{kind}, {part}"):
        what_if = WhatIf(simulator) if kind == "faults" else what_if
        one = machines.faulty(what_if, seed) if kind == "faults" else \
            machines.healthy(what_if, seed, kind == "erring")
        if one is None:
            continue
        one = machines.with_good_day(one, seed) if good_day else one
        name = f"seed {seed}, {one.machine.name}, {one.severity}".rstrip(", ")
        found.append(examine(what_if, f"{name}, draw {one.tries}", [one.cause], one.diagnosis))
        if kind == "faults" or not found[-1].right:
            tell(found[-1])
    return found


def tell(one: Said):
    print(json.dumps(one._asdict()), flush=True)


def main():
    parts = list(dict.fromkeys([part for own in FIRST.values() for part in own] + ["all"]))
    options = parsed(page_parser("judge", __doc__, Parser), "judge", parts=parts)
    possible = POSED if options.kind in ("cases", "published") else list(FIRST[options.kind])
    if options.part not in possible:
        raise InputError(f"--part: expected one of {', '.join(possible)} of {options.kind}, got "
                         f"{options.part}")
    if options.kind in ("cases", "published"):
        curves = cases() if options.kind == "cases" else published()
        found = posed(Simulator(), options.part, curves)
    else:
        found = drawn(Simulator(), options.kind, options.part, options.count, options.seed,
                      options.reference)
    right = sum(one.right for one in found)
    print(f"{options.kind}, {options.part}: {right} of {len(found)} right "
          f"({100 * right / max(1, len(found)):.0f} %), the slowest took "
          f"{max((one.seconds for one in found), default=0):.0f} s", file=sys.stdout)


if __name__ == "__main__":
    run_main(main)
