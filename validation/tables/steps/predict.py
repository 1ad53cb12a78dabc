# SPDX-License-Identifier: LGPL-2.1-or-later
"""Steps of measured jobs by `ringscope estimate`, from data sheets or with a fitted efficiency."""

import json
import pathlib
import tempfile

from validation.calibration.verdict.simulator import Simulator

AT_ONCE = 40  # cases of one file


def estimate(simulator: Simulator, scenarios: list) -> list:
    """Estimates of `ringscope estimate`: its JSON, with `error` where a job does not fit."""
    results = []
    with tempfile.TemporaryDirectory(prefix="ringscope-") as folder:
        path = pathlib.Path(folder) / "steps.yaml"
        for begin in range(0, len(scenarios), AT_ONCE):
            some = scenarios[begin:begin + AT_ONCE]
            cases = [{"name": str(i), "set": one} for i, one in enumerate(some)]
            path.write_text(json.dumps({"question": "How long is a step?", **some[0],
                                        "cases": cases}), encoding="utf-8")
            text = simulator.output("estimate", str(path), "--format", "json")
            results += json.loads(text)["steps"]
    return results


def with_options(scenario: dict, **options) -> dict:
    job = scenario["job"]
    return {**scenario, "job": {**job, "options": {**job["options"], **options}}}
