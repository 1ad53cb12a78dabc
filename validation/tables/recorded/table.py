# SPDX-License-Identifier: LGPL-2.1-or-later
"""Predicts the recorded programs of the lab on all placements, and compares.

Usage: python3 -m validation.tables.recorded.table RINGSCOPE CAMPAIGN [--write]

Prints the table of validation/results/README.md; --write keeps the predictions, before anything is
measured.
"""

import json
import pathlib
import statistics
import subprocess
import sys
import tempfile

import yaml

from validation.tables.recorded import campaign


def scenario(asked: campaign.Campaign, program: str, placement: str) -> dict:
    model = str(asked.model)
    return {"question": "How long does the recorded program take there?",
            "cluster": {"base": model, "hosts": len(placement.split("-"))}, "library": model,
            "placement": placement, "job": {"trace": str(asked.folder / program)}}


def predict(ringscope: str, asked: campaign.Campaign, program: str, placement: str) -> float:
    """Seconds of the whole record: the few ms before the first step count."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "recorded.yaml"
        file.write_text(yaml.safe_dump(scenario(asked, program, placement)), encoding="utf-8")
        result = pathlib.Path(folder) / "result.json"
        subprocess.run([ringscope, "run", str(file), "--json", str(result)], check=True,
                       stdout=subprocess.DEVNULL)
        return json.loads(result.read_text(encoding="utf-8"))["cases"][0]["time_s"]


def predictions(ringscope: str, asked: campaign.Campaign) -> dict:
    return {program: {placement: predict(ringscope, asked, program, placement)
                      for placement in asked.placements} for program in asked.programs}


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
