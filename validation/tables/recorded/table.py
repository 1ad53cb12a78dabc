# SPDX-License-Identifier: LGPL-2.1-or-later
"""Predicts the recorded programs of the lab on all placements, and compares.

Usage: python3 -m validation.tables.recorded.table RINGSCOPE CAMPAIGN [--write]

Prints the table of validation/results/README.md; --write keeps the predictions, before anything is
measured.
"""

import json
import statistics
import sys

from validation.calibration.verdict.simulator import Simulator, batch
from validation.tables.recorded import campaign


def scenario(asked: campaign.Campaign, program: str, placement: str) -> dict:
    model = str(asked.model)
    return {"cluster": {"base": model, "hosts": len(placement.split("-"))}, "library": model,
            "placement": placement, "job": {"trace": str(asked.folder / program)}}


def predict(ringscope: str, asked: campaign.Campaign, program: str) -> dict:
    """{placement: seconds of the whole record}: the few ms before the first step count."""
    cases = batch(Simulator(ringscope), {},
                  [scenario(asked, program, placement) for placement in asked.placements],
                  [f"{program} on {placement}" for placement in asked.placements])
    return {placement: case["time_s"] for placement, case in zip(asked.placements, cases)}


def predictions(ringscope: str, asked: campaign.Campaign) -> dict:
    return {program: predict(ringscope, asked, program) for program in asked.programs}


def measured(asked: campaign.Campaign, program: str, placement: str) -> float:
    launches = json.loads(asked.measured.read_text(encoding="utf-8"))
    return statistics.median(one["seconds"] for one in launches
                             if (one["program"], one["placement"]) == (program, placement))


def rows(asked: campaign.Campaign, predicted: dict):
    """(program, placement, measured, predicted, error)"""
    for program, places in predicted.items():
        for placement, seconds in places.items():
            real = measured(asked, program, placement)
            yield program, placement, real, seconds, seconds / real - 1


def table(asked: campaign.Campaign, predicted: dict) -> str:
    lines = ["| program | placement | measured | predicted | error |", "|---|---|---|---|---|"]
    for program, placement, real, seconds, error in rows(asked, predicted):
        note = " (recorded)" if placement == asked.record else ""
        lines.append(f"| `{program}` | {placement}{note} | {real:.3f} s | {seconds:.3f} s | "
                     f"{100 * error:+.1f} % |")
    return "\n".join(lines) + "\n"


def main():
    ringscope, name, *more = sys.argv[1:]
    asked = campaign.read(name)
    predicted = predictions(ringscope, asked)
    if more == ["--write"]:
        asked.predicted.write_text(json.dumps(predicted, indent=1) + "\n", encoding="utf-8")
    if asked.measured.exists():
        print(table(asked, predicted), end="")
    else:
        print(json.dumps(predicted, indent=1))


if __name__ == "__main__":
    main()
