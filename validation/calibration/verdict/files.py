# SPDX-License-Identifier: LGPL-2.1-or-later
"""The verdict as CSV (one row per case) and as JSON (everything)."""

import csv
import io
import json
from operator import attrgetter

from validation.calibration.verdict import accuracy, cases, interval, judge, model, order
from validation.yaml_files import tables_of

BEGIN = ("case", "collective", "algorithm", "predicted_as", "placement")
CASE, PAIR = tables_of(__file__).values()


def values(one, names: dict) -> dict:
    """{name: attribute of `one`}, of {name: path of the attribute}."""
    return {name: attrgetter(path)(one) for name, path in names.items()}


def entry(case: cases.Case, fitted: model.Model) -> dict:
    """Values of the columns, with the types of JSON."""
    parameters = case.parameters
    return {"case": case.measured.name, "collective": parameters["collective"],
            "algorithm": parameters["algorithm"], "predicted_as": fitted.algorithm_of(case),
            "placement": str(parameters["placement"]), **values(case, CASE)}


def csv_text(verdict: judge.Verdict) -> str:
    out = io.StringIO(newline="")
    writer = csv.DictWriter(out, [*BEGIN, *CASE], lineterminator="\n")
    writer.writeheader()
    for case in verdict.judged:
        row = entry(case, verdict.model) | {"marks": "; ".join(case.marks)}
        writer.writerow({key: str(value).lower() if isinstance(value, bool) else value
                         for key, value in row.items()})
    return out.getvalue()


def pair_entry(pair: order.Pair) -> dict:
    names = [one.shown_placement for one in (pair.first, pair.second)]
    return {"case": pair.first.measured.name, "placements": names, **values(pair, PAIR)}


def phase_entries(trace) -> list:
    """`low_s` and `high_s` where the fit leaves something open."""
    found = [{"phase": name, "measured_s": measured, "predicted_s": predicted}
             for name, measured, predicted in trace.rows()]
    for one, (low, high) in zip(found, trace.intervals()):
        one |= {"low_s": low, "high_s": high}
    return found


def interval_entry(verdict: judge.Verdict):
    """Level of the model's interval, number of the cases that count and lie in it, median of upper
    over lower end, its score and the score of one factor; null where the model has none."""
    if not (found := verdict.coverage):
        return None
    return {"level": interval.level_of(verdict.model), "cases": found.count,
            "covered": found.inside, "median_ratio": found.ratio, "score": found.score,
            "constant_score": found.constant}


def json_text(verdict: judge.Verdict) -> str:
    groups = {"counted": verdict.counted, "noisy": verdict.marked, "fitted": verdict.fitted}
    pairs = verdict.pairs()
    document = {
        "schema": 1,
        "model": verdict.model.path,
        "documents": [one.path for one in verdict.documents],
        "warnings": verdict.doubts,
        "limits": verdict.limits._asdict(),
        "figures": {name: accuracy.figures(listed)._asdict()
                    for name, listed in groups.items()},
        "interval": interval_entry(verdict),
        "order": judge.order_figures(pairs)._asdict(),
        "by": {name: [{"value": value} | figures._asdict()
                      for value, figures in values.items()]
               for name, values in verdict.breakdowns().items()},
        "cases": [entry(case, verdict.model) for case in verdict.judged],
        "pairs": [pair_entry(pair) for pair in pairs],
        "traces": [{"name": trace.name, "fitted": trace.fitted, "phases": phase_entries(trace)}
                   for trace in verdict.traces],
    }
    return json.dumps(document, indent=1, ensure_ascii=False, allow_nan=False) + "\n"
