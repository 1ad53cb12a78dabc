# SPDX-License-Identifier: LGPL-2.1-or-later
"""Predict a scenario with a 90 % interval from a calibrated model.

Each case is simulated with the library that `ringscope calibrate` wrote, with its alternative fits,
and with each component slowed by the fit's error on its own probes. The interval covers all these
times and the model's errors on other machines. For several cases, the ratio of each to the first
is printed, each ratio within one model. A warning reports large errors of the fit. For a bundled
library the interval is its `spread`, if it has one. `ringscope run --interval` is the same command.

Examples:
  ringscope predict question.yaml
  ringscope predict 02-ring-of-8 --model mycluster.yaml --bytes 1MiB
  ringscope predict mine.yaml --library nccl_h100

Exit codes: 0 done, 1 bad input, 3 deadlock in a simulation.
"""

import dataclasses
import json
import math
import pathlib
import sys

from common.programs import InputError, Parser, page_parser, run_main, waiting, write_text
from common.quantities import format_time
from validation.arguments import parsed
from validation.calibration.nccl.spread import OUTSIDE
from validation.calibration.verdict import interval, model, residuals, text, waits
from validation.calibration.verdict.simulator import Simulator, batch
from validation.yaml_files import read_yaml

NO_DETOURS = ("--set", "job.noise.detours={every: 1 s, takes: 0 s}")


@dataclasses.dataclass
class Prediction:
    """A case of the scenario: seconds, and its ends where `level` of what may be lies between.
    Ratios are of its time over the first case's, each by one model for both."""

    name: str
    time_s: float
    low_s: float
    high_s: float
    ratio: float
    ratio_low: float | None
    ratio_high: float | None
    warnings: list


def model_behind(scenario: str, changes: list) -> str:
    """Path of the file that the library is; "" where it is none."""
    words = [value for option, value in changes if option in ("--library", "--model")]
    words += [value.partition("=")[2] for option, value in changes
              if option == "--set" and value.startswith("library=")]
    library = words[-1] if words else library_in(scenario)
    path = pathlib.Path("." if words else pathlib.Path(scenario).parent, library or "")
    return str(path) if path.is_file() else ""


def library_in(scenario: str) -> str:
    """Library that a scenario's file names; "" where it is no file, or has a map."""
    try:
        found = read_yaml(scenario)
    except InputError:
        return ""  # `run` says what is wrong with it
    library = found.get("library") if isinstance(found, dict) else None
    return library if isinstance(library, str) else ""


def check_model(fitted: model.Model):
    if not interval.level_of(fitted):
        raise InputError(f"{fitted.path}: expected alternative fits that the measurements allow, "
                         "got none: `ringscope calibrate` writes them unless --bootstrap is 0 or "
                         "GPUs alone were measured")


def check_library(case: dict, fitted: model.Model, scenario: str):
    own = str(fitted.library.get("name") or pathlib.Path(fitted.path).stem)
    if case["library"] != own:
        raise InputError(f"{scenario or 'predict'}: case '{case['name']}': expected the library of "
                         f"{fitted.path} unchanged, '{own}', got '{case['library']}': its "
                         "alternative fits are of that alone")


def scenario_with(case: dict, drawn: dict, fitted: model.Model) -> dict:
    """The case as it was resolved, on the cluster of one of the other models."""
    scenario = {key: case["scenario"][key] for key in ("cluster", "placement", "job")}
    link, own = scenario["cluster"].get("link"), fitted.cluster.get("link")
    if isinstance(link, dict) and isinstance(own, dict) and \
            link.get("bandwidth") == own.get("bandwidth"):
        scenario = interval.with_link(scenario, drawn, fitted)
    return scenario


def longer(case: dict, library: dict) -> float:
    """Factor of the library's detours, which those of the scenario replace."""
    return 1.0 if waits.states_detours(case) else waits.longer(case, library)


def times_of(runner: Simulator, cases: list, drawn: dict, fitted: model.Model) -> list:
    library = interval.other_model(fitted, drawn).library
    found = batch(runner, library, [scenario_with(case, drawn, fitted) for case in cases],
                  [case["name"] for case in cases])
    return [one["time_s"] * longer(one, library) for one in found]


def with_ratios(times: list) -> list:
    """Behind the times of all cases the ratios of the others to the first."""
    return times + [one / times[0] if times[0] else 1.0 for one in times[1:]]


def simulated(runner: Simulator, scenario: str, changes: list) -> list:
    """Cases of the scenario as `run` reports them."""
    words = [scenario] * bool(scenario) + [word for change in changes for word in change]
    with waiting("simulating"):
        return json.loads(runner.output("run", *words, "--json", "-"))["cases"]


def by_spread(cases: list, scenario: str) -> list:
    """Predictions whose ends are those of their library's spread. A ratio has none: nothing says
    how much of the spread two cases of one machine share."""
    for case in cases:
        if "likely" not in case:
            raise InputError(f"{scenario}: expected a library that `ringscope calibrate` wrote, "
                             f"got '{case['library']}': name it by --model")
    ratios = with_ratios([case["time_s"] for case in cases])[len(cases):]
    return [Prediction(case["name"], *likely(case, ()), ratio, None, None,
                       case.get("warnings", []))
            for case, ratio in zip(cases, [1.0, *ratios])]


def predict(runner: Simulator, fitted: model.Model, scenario: str, changes: list) -> list:
    """Predictions of all cases of the scenario: mean times, where the model has detours."""
    cases = simulated(runner, scenario, changes)
    if "detours" in fitted.library and not all(map(waits.states_detours, cases)):
        means = simulated(runner, scenario, changes + [NO_DETOURS])
        cases = [case if waits.states_detours(case) else mean
                 for case, mean in zip(cases, means)]
    for case in cases:
        check_library(case, fitted, scenario)
        case["time_s"] *= longer(case, fitted.library)
    widths = interval.widths(
        fitted, lambda drawn: with_ratios(times_of(runner, cases, drawn, fitted)))
    own = with_ratios([case["time_s"] for case in cases])
    known = [(one, *width.ends(one)) for one, width in zip(own, widths)]
    ratios = [(1.0, 1.0, 1.0), *known[len(cases):]]
    return [Prediction(case["name"], *likely(case, time), *ratio, case.get("warnings", [])
                       + residuals.warnings(fitted.errors, width.parts))
            for case, time, ratio, width in zip(cases, known, ratios, widths)]


def likely(case: dict, known: tuple) -> tuple:
    """(time, low, high): the range that the case's report has, as in a fit to NCCL's times."""
    found = case.get("likely")
    return (case["time_s"], found["low_s"], found["high_s"]) if found else known


def text_of(predictions: list, fitted: model.Model | None) -> str:
    rows = [[one.name, *map(format_time, (one.time_s, one.low_s, one.high_s))]
            for one in predictions]
    lines = text.columns(["case", "time", "low", "high"], rows)
    if len(predictions) > 1:
        first, *others = predictions
        rows = [[one.name, *("-" if ratio is None else f"{ratio:.3f} x" for ratio in
                             (one.ratio, one.ratio_low, one.ratio_high))] for one in others]
        lines += ["", *text.columns([f"over {first.name}", "ratio", "low", "high"], rows)]
    missed, level = text.percent(math.expm1(interval.UNSEEN), 0), text.percent(1 - OUTSIDE, 0)
    own = fitted and (fitted.library.get("fitted") or {}).get("low")
    if own:
        lines += ["", f"low to high of times: {level}, by the errors of sizes omitted from the "
                  "fit, or where it extrapolates by the spread of the fitted profile"]
    if not own or len(predictions) > 1:
        lines += ["", f"low to high: {level} of measured times on machines to which the library "
                  "was not fitted (its 'spread')" if fitted is None else
                  f"low to high{' of ratios' if own else ''}: "
                  f"{text.percent(interval.level_of(fitted), 0)} of all cases, by "
                  f"{len(fitted.draws)} alternative fits that the measurements of {fitted.path} "
                  f"allow, the errors of the fit and {missed} of model error"]
    for warning in dict.fromkeys(words for one in predictions for words in one.warnings):
        lines.append(f"warning: {warning}")
    return "\n".join(lines) + "\n"


def main():
    options = parsed(page_parser("ringscope predict", __doc__, Parser), "predict")
    path, fitted = options.model or model_behind(options.scenario, options.changes), None
    if path:
        fitted = model.read(path)
        check_model(fitted)
        predictions = predict(Simulator(), fitted, options.scenario, options.changes)
    else:
        predictions = by_spread(simulated(Simulator(), options.scenario, options.changes),
                                options.scenario or "predict")
    if options.json:
        told = {"schema": 1, "level": interval.level_of(fitted) if fitted else 1 - OUTSIDE,
                "cases": [dataclasses.asdict(one) for one in predictions]}
        write_text(options.json, json.dumps(told, indent=2) + "\n")
    if options.json != "-":
        sys.stdout.write(text_of(predictions, fitted))


if __name__ == "__main__":
    run_main(main)
