# SPDX-License-Identifier: LGPL-2.1-or-later
"""Steps of language model jobs by `ringscope estimate`."""

import json
import pathlib
import re
import tempfile

from common.programs import InputError
from validation.calibration.verdict.simulator import Simulator

AT_ONCE = 40  # cases of one file


def estimate(simulator: Simulator, scenarios: list, shown: str = "the scenario") -> list:
    """Estimates of `ringscope estimate`: its JSON, with `error` where a job does not fit. Errors
    name the file `shown`."""
    results = []
    with tempfile.TemporaryDirectory(prefix="ringscope-") as folder:
        path = pathlib.Path(folder) / "steps.yaml"
        for begin in range(0, len(scenarios), AT_ONCE):
            some = scenarios[begin:begin + AT_ONCE]
            cases = [{"name": str(i), "set": one} for i, one in enumerate(some)]
            path.write_text(json.dumps({"question": "How long is a step?", **some[0],
                                        "cases": cases}), encoding="utf-8")
            try:
                text = simulator.output("estimate", str(path), "--format", "json")
                results += json.loads(text)["steps"]
            except InputError as error:  # also of a single case
                results += [{"error": str(error)}] * len(some)
    place = re.compile(re.escape(str(path)) + r"(:\d+)*")
    for one in results:
        if "error" in one:
            one["error"] = place.sub(lambda _: shown, one["error"])
    return results


def with_options(scenario: dict, **options) -> dict:
    job = scenario["job"]
    return {**scenario, "job": {**job, "options": {**job["options"], **options}}}
