# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs the simulator on many cases at once; its errors become InputErrors."""

import json
import os
import pathlib
import statistics
import subprocess
import tempfile

from common.groups import grouped
from common.programs import InputError, waiting
from validation.calibration.verdict import cases, model
from validation.calibration.verdict.waits import is_mean, share_of, with_detours, without_detours

ROOT = pathlib.Path(__file__).resolve().parents[3]
AT_ONCE = 100  # cases of one file; a scenario has at most 1 MiB


class Stuck(InputError):
    """A simulation that cannot go on."""

    exit_code = 3


class Simulator:
    """`program` is the path of ringscope; RINGSCOPE in the environment comes before the build's."""

    def __init__(self, program: str = ""):
        self.program = program or os.environ.get("RINGSCOPE") or str(ROOT / "build" / "ringscope")

    def output(self, *words: str) -> str:
        try:
            ran = subprocess.run([self.program, *words], check=False, capture_output=True,
                                 text=True, stdin=subprocess.DEVNULL)
        except OSError as error:
            raise InputError(f"{self.program}: cannot be run: {error.strerror}; RINGSCOPE names "
                             "the simulator") from None
        if ran.returncode == 0:
            return ran.stdout
        kind = Stuck if ran.returncode == 3 else InputError
        raise kind(ran.stderr.strip() or f"{self.program}: ended with {ran.returncode}")

    def run_text(self, text: str, shown: str, *options: str) -> str:
        """Output for a scenario in YAML, or JSON; errors name its file `shown`."""
        with tempfile.TemporaryDirectory(prefix="ringscope-") as folder:
            path = pathlib.Path(folder) / "scenario.yaml"
            path.write_text(text, encoding="utf-8")
            try:
                return self.output("run", str(path), *options)
            except InputError as error:
                raise type(error)(str(error).replace(str(path), shown)) from None

    def listed(self, what: str) -> list:
        return json.loads(self.output("list", what, "--json", "-"))[what]

    def algorithms(self) -> dict:
        """{collective: [names]}, as listed."""
        known = grouped(self.listed("algorithms"), lambda one: one["collective"])
        return {name: [one["algorithm"] for one in some] for name, some in known.items()}

    def nccl(self) -> dict:
        """{collective: the algorithm that stands for NCCL's choice}"""
        return {one["name"]: one["nccl"] for one in self.listed("collectives")}

    def run(self, library: dict, scenarios: list, names: list, *options: str) -> str:
        """One output for all; where the simulator refuses one, the first of `names` is said whose
        scenario it refuses. `library`: of all that have none."""
        file = {"question": "What does the fitted model predict?", "library": library,
                **scenarios[0]}
        file["cases"] = [{"name": str(i), "set": {key: value for key, value in one.items()
                                                  if value != file.get(key)}}
                         for i, one in enumerate(scenarios)]
        try:
            return self.run_text(json.dumps(file, ensure_ascii=False, indent=1), "the fitted model",
                                 *options)
        except InputError as error:
            complaint = type(error)(f"{names[0]}: the simulator rejects its prediction: {error}")
        if len(scenarios) == 1:
            raise complaint
        for one, name in zip(scenarios, names):
            self.run(library, [one], [name], *options)
        raise complaint


def batch(simulator: Simulator, library: dict, scenarios: list, names: list) -> list:
    """The results of the scenarios without detours, one of each, by AT_ONCE of them in a file."""
    found, library = [], without_detours(library)
    for begin in range(0, len(scenarios), AT_ONCE):
        some = slice(begin, begin + AT_ONCE)
        output = simulator.run(library, scenarios[some], names[some], "--json", "-")
        found += json.loads(output)["cases"]
    if len(found) != len(scenarios):
        raise InputError(f"{simulator.program}: expected {len(scenarios)} results, got "
                         f"{len(found)}")
    return found


def results_of(simulator: Simulator, fitted: model.Model, scenarios: list, measured: list) -> list:
    """The simulator's results, one of each case."""
    found = []
    for begin in range(0, len(measured), AT_ONCE):
        some = measured[begin:begin + AT_ONCE]
        names = [cases.place_of(case.measured) for case in some]
        with waiting(f"simulating {begin + 1} to {begin + len(some)} of {len(measured)} cases"):
            found += batch(simulator, fitted.library, scenarios[begin:begin + AT_ONCE], names)
    return found


def middle_of(case, result: dict, library: dict) -> float:
    return (statistics.mean if is_mean(case) else statistics.median)(result["times_s"]) \
        * with_detours(share_of(library), case)


def predict(simulator: Simulator, fitted: model.Model, measured: list):
    """Sets `predicted_s` of every case: the median, or the mean where a mean was published."""
    fitted.known, fitted.nccl = known, _ = simulator.algorithms(), simulator.nccl()
    scenarios = [model.scenario_for(fitted, case, known) for case in measured]
    for case, result in zip(measured, results_of(simulator, fitted, scenarios, measured)):
        case.predicted_s = middle_of(case, result, fitted.library)
        if not case.parameters["algorithm"]:
            case.ran = result["chosen"] or result["algorithm"]


def times(simulator: Simulator, fitted: model.Model, scenarios: list, measured: list) -> list:
    """Seconds of each case."""
    results = results_of(simulator, fitted, scenarios, measured)
    return [middle_of(case, result, fitted.library) for case, result in zip(measured, results)]
