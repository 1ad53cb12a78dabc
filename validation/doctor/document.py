# SPDX-License-Identifier: LGPL-2.1-or-later
"""The diagnosis as JSON: times in seconds, sizes in bytes, bandwidths in bytes per second."""

import json
import math

from validation.doctor import judgement, ranking
from validation.doctor.diagnosis import Diagnosis

SCHEMA = 1


def point_of(diagnosis: Diagnosis, i: int) -> dict:
    point, errors = diagnosis.curve.points[i], diagnosis.errors
    return {"series": point.series, "bytes": point.bytes, "measured_s": point.seconds,
            "expected_s": point.expected, "ratio": point.ratio, "busbw": point.rate,
            "expected_busbw": point.factor * point.bytes / point.expected,
            "error": float(errors.sigma()[i]), "low": math.exp(errors.low[i]),
            "high": math.exp(errors.high[i]), "normal": not diagnosis.off[i],
            "algorithm": point.chosen or point.job["algorithm"]}


def cause_of(diagnosis: Diagnosis, outcome, share: float, same: set) -> dict:
    if outcome.cause is None:
        return {"name": "unknown", "probability": share}
    times = [None if math.isnan(one) else math.exp(one) for one in outcome.log_times]
    line = diagnosis.stated.get(outcome.name)
    simulated = any(one is not None for one in times)
    return {"name": outcome.name, "evidence": "stated" if line else "simulated",
            "stated": line and line.document(),
            "explains": diagnosis.explains(outcome) if simulated else None,
            "title": outcome.cause.title, "severity": outcome.words,
            "probability": share,
            "deviations_per_point": outcome.distance if simulated else None,
            "not_told_apart": outcome.name in same, "look": outcome.cause.check,
            "threads": outcome.cause.addresses(), "times_s": times}


def judged(diagnosis: Diagnosis) -> dict:
    verdict, missing = judgement.verdict(diagnosis)
    return {"verdict": verdict, "cannot_tell": missing or None,
            "stated": {name: line.document() for name, line in diagnosis.stated.items()}}


def document(diagnosis: Diagnosis) -> dict:
    points = diagnosis.curve.points
    first = diagnosis.first
    same = {one.name for one in ranking.alike(diagnosis.ranked)} if diagnosis.ranked else set()
    shares = ranking.probabilities(diagnosis.ranked) if diagnosis.ranked else []
    verdict = judged(diagnosis)
    return {
        "schema": SCHEMA, "cluster": diagnosis.cluster, "library": diagnosis.library,
        "model_error": "spread" if diagnosis.by_spread else diagnosis.family,
        "normal": verdict["verdict"] == judgement.NORMAL, **verdict,
        "struck_out": {name: line.document() for name, line in diagnosis.struck.items()},
        "first": None if first is None else {"series": points[first].series,
                                             "bytes": points[first].bytes},
        "points": [point_of(diagnosis, i) for i in range(len(points))],
        "causes": [cause_of(diagnosis, one, share, same)
                   for one, share in zip(diagnosis.ranked, shares)],
        "would_tell": [{"measurement": one.experiment.name, "program": one.experiment.program,
                        "bytes": one.experiment.bytes,
                        "times_s": {name: time / one.experiment.divide
                                    for name, time in one.times.items()}}
                       for one in diagnosis.telling],
        "explained": bool(diagnosis.explained),
        "remarks": diagnosis.remarks(), "notes": diagnosis.notes}


def json_text(diagnosis: Diagnosis) -> str:
    return json.dumps(document(diagnosis), indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def line_text(diagnosis: Diagnosis) -> str:
    """The verdict in one line, for prologs and health checks."""
    points, first = diagnosis.curve.points, diagnosis.first
    verdict = judged(diagnosis)
    shown = {"schema": SCHEMA, **verdict, "exit_code": judgement.CODES[verdict["verdict"]],
             "cluster": diagnosis.cluster, "library": diagnosis.library,
             "bytes": None if first is None else points[first].bytes,
             "ratio": None if first is None else points[first].ratio,
             "causes": [one.name for one in diagnosis.causes[:3]] if diagnosis.explained else []}
    return json.dumps(shown, ensure_ascii=False, allow_nan=False) + "\n"
