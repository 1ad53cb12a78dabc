"""Predicts the recorded programs of the lab on all placements, and compares.

Usage: python3 -m validation.recorded.table RINGSCOPE [--write]

Prints the table of validation/README.md; --write keeps the predictions.
"""

import json
import pathlib
import statistics
import subprocess
import sys
import tempfile

import yaml

from validation.recorded import campaign


def scenario(program: str, placement: str) -> dict:
    fit = str(campaign.FIT)
    return {"question": "How long does the recorded program take there?",
            "cluster": {"base": fit, "hosts": len(placement.split("-"))}, "library": fit,
            "placement": placement, "job": {"trace": str(campaign.calls(program))}}


def predict(ringscope: str, program: str, placement: str) -> float:
    """Seconds of the whole record: the few ms before the first step count."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "recorded.yaml"
        file.write_text(yaml.safe_dump(scenario(program, placement)), encoding="utf-8")
        result = pathlib.Path(folder) / "result.json"
        subprocess.run([ringscope, "run", str(file), "--json", str(result)], check=True,
                       stdout=subprocess.DEVNULL)
        return json.loads(result.read_text(encoding="utf-8"))["cases"][0]["time_s"]


def predictions(ringscope: str, asked: campaign.Campaign) -> dict:
    return {program: {placement: predict(ringscope, program, placement)
                      for placement in asked.placements} for program in asked.programs}


def measured(program: str, placement: str) -> float:
    launches = json.loads(campaign.MEASURED.read_text(encoding="utf-8"))
    return statistics.median(one["seconds"] for one in launches
                             if (one["program"], one["placement"]) == (program, placement))


def rows(predicted: dict):
    """(program, placement, measured, predicted, error)"""
    for program, places in predicted.items():
        for placement, seconds in places.items():
            real = measured(program, placement)
            yield program, placement, real, seconds, seconds / real - 1


def table(asked: campaign.Campaign, predicted: dict) -> str:
    lines = ["| program | placement | measured | predicted | error |", "|---|---|---|---|---|"]
    for program, placement, real, seconds, error in rows(predicted):
        note = " (recorded)" if placement == asked.record else ""
        lines.append(f"| {program} | {placement}{note} | {real:.3f} s | {seconds:.3f} s | "
                     f"{error:+.1%} |".replace("%", " %"))
    return "\n".join(lines) + "\n"


def main():
    asked = campaign.read()
    predicted = predictions(sys.argv[1], asked)
    if "--write" in sys.argv[2:]:
        campaign.PREDICTED.write_text(json.dumps(predicted, indent=1) + "\n", encoding="utf-8")
    if campaign.MEASURED.exists():
        print(table(asked, predicted), end="")
    else:
        print(json.dumps(predicted, indent=1))


if __name__ == "__main__":
    main()
