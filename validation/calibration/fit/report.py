# SPDX-License-Identifier: LGPL-2.1-or-later
"""The report: every parameter with its interval and its source, and how well the fit fits."""

import numpy as np

from validation.calibration.fit import gpus
from validation.calibration.fit.profile_units import in_unit
from validation.calibration.verdict import residuals
from validation.calibration.verdict.text import columns


def errors_of(result) -> dict:
    """{probe: {points, median, p90}} of the absolute relative errors of the fit."""
    found = {}
    for way, fitted in result.transports.items():
        errors = {}
        for one in fitted.observations + fitted.compared:
            if len(one.sizes):
                errors.setdefault(one.what, []).append(one.errors(fitted.transport))
        found |= {f"{what} {way}": summary(np.concatenate(some)) for what, some in errors.items()}
    if result.collectives:
        found["collectives"] = summary(result.collectives.errors)
    if result.gpus:
        found |= {what: summary(errors) for what, errors in gpus.errors_of(result.gpus).items()}
    for name, points in result.host.observations.items():
        cost = getattr(result.host, name)
        found[points[0].what] = summary(np.array([cost * point.size / point.seconds - 1
                                                  for point in points]))
    return found


def warnings_of(result) -> list:
    """Doubts about what was measured; errors that the fit itself does not explain, and what they
    mean for whoever uses it."""
    found = list(result.doubts) + residuals.warnings(errors_of(result), residuals.WAYS)
    between = result.collectives and any(one.placement.used > 1 for one in result.collectives.cases)
    if between and not result.points.of_probe("ping_pong", way="network"):
        found.append("no latency between hosts was measured, so it is fitted to the collectives or "
                     "assumed: add osu_latency on two hosts")
    return found


def summary(errors) -> dict:
    """`factor`: median of what lies between fit and measurement, either way; `low`, `high`: 5th and
    95th percentile of measured over fit."""
    size, logs = np.abs(errors), -np.log1p(np.maximum(errors, -0.999))
    found = {"median": np.median(size), "p90": np.percentile(size, 90),
             "factor": np.exp(np.median(np.abs(logs))),
             **dict(zip(("low", "high"), np.exp(np.percentile(logs, (5, 95)))))}
    return {"points": int(len(size))} | {name: float(f"{one:.4g}") for name, one in found.items()}


def table(rows) -> list:
    return columns(rows[0], rows[1:], range(len(rows[0])))


def interval_text(one):
    if not one.bounded:
        return "not identifiable"
    return f"{in_unit(one.low, one.unit)} .. {in_unit(one.high, one.unit)}"


def text_of(result) -> str:
    lines = ["Fitted (95 % intervals by bootstrap; a limit's interval is what brackets it)", ""]
    lines += table([("parameter", "value", "interval", "from")] + [
        (name, str(in_unit(one.value, one.unit)), interval_text(one), one.evidence)
        for name, one in result.parameters.items()])
    if result.drawn:
        lines += ["", "Intervals: " + "; ".join(f"{way}: {words}"
                                                for way, words in result.drawn.items())]
    if not result.only_gpus:
        lines += ["", f"Progress: {result.progress.mode}",
                  f"  {result.progress.evidence or 'assumed: ' + result.progress.assumed}"]
    if result.draws and result.draws.ranges:
        lines += ["", "Not identifiable: assumed; prediction intervals use any value of the range"]
        lines += table([(f"  {name}", str(in_unit(value, unit)),
                         f"{in_unit(low, unit)} .. {in_unit(high, unit)}", why)
                        for name, (value, unit, low, high, why) in result.draws.ranges.items()])
    drawn = result.draws.ranges if result.draws else {}
    assumed = {name: why for name, why in result.assumed.items() if name not in drawn}
    for title, entries in (("Assumed", assumed), ("Not determined", result.undetermined)):
        if entries:
            lines += ["", title] + table([(f"  {name}", why) for name, why in entries.items()])
    if warnings_of(result):
        lines += ["", "Warnings"] + [f"  {warning}" for warning in warnings_of(result)]
    if notes := [note for note in result.notes if note not in result.doubts]:
        lines += ["", "Notes"] + [f"  {note}" for note in notes]
    if errors_of(result):
        lines += ["", "Errors of the fit, absolute and relative"]
        lines += table([("  probe", "points", "median", "90 %")] + [
            (f"  {name}", str(one["points"]), f"{one['median']:.1%}", f"{one['p90']:.1%}")
            for name, one in errors_of(result).items()])
    return "\n".join(lines) + "\n"
