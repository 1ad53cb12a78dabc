# SPDX-License-Identifier: LGPL-2.1-or-later
"""A fit to a user's log of NCCL: the file that the simulator reads, and the report."""

import os
import re
import textwrap

import numpy as np
import yaml
from scipy import special

from common.programs import InputError
from common.quantities import format_bytes, format_time
from validation.calibration.fit import report
from validation.calibration.fit.calibration import OF_NCCL
from validation.calibration.fit.profile import SCHEMA, Dumper, Line, now
from validation.calibration.nccl import own, own_rows, spread
from validation.calibration.verdict.simulator import Simulator

DRAWS = 19  # models beside the fit: 90 % of one more lie between theirs
ADVISED = 3
VERSION = re.compile(r"NCCL (\d+\.\d+)")


def check_named(options):
    """Raises InputError unless both parts are named that collectives alone do not determine."""
    for option, known in (("cluster", "clusters"), ("library", "libraries")):
        if not getattr(options, option):
            raise InputError(f"--{option}: expected one for times of NCCL's collectives, got none: "
                             f"{OF_NCCL}; `ringscope list {known}` prints the built-in ones")


def absolute(name: str) -> str:
    return os.path.abspath(name) if os.path.exists(name) else name


def calibrate(documents: list, options, only: dict):
    """(text of the file, report, warnings)"""
    check_named(options)
    simulator = Simulator()
    log = own_rows.log_of(documents, only, simulator.nccl())
    library, version = absolute(options.library), VERSION.search(log.where["mpi"])
    named = absolute(options.cluster)
    if kind := log.where.get("link_kind"):
        named = {"base": named, "link": {"kind": kind}}
        log.warnings.append(f"the network is {kind}, as the log's INFO lines say")
    cluster, blocks, transport = own.prior_of(simulator, named, library)
    cluster = own.grown(cluster, max(options.hosts or 0, *(row.hosts for row in log.rows)))
    blocks = own.changed(blocks, log.rows, version[1] if version else "")
    head = {"base": library} | ({"transport": transport} if transport else {})
    fit = own.fit_rows(own.Predictor(simulator, cluster, head, blocks), log.rows)
    own.advise(fit)
    return text_of(fit, log, options), report_of(fit, log), log.warnings


def predicted(fit, errors) -> np.ndarray:
    return np.exp(errors) * np.array([row.seconds for row in fit.rows])


def summary(errors) -> dict:
    return report.summary(np.expm1(errors))


def missed(fit) -> dict:
    """Factors of what the posterior does not explain of the errors of omitted sizes."""
    excess = np.sqrt(max(0, np.mean(fit.left_out ** 2) - np.mean(fit.expected ** 2)))
    return {key: float(f"{np.exp(times * excess):.4g}")
            for key, times in (("factor", 0.6745), ("low", -1.645), ("high", 1.645))}


def range_of(errors) -> dict:
    """Factors of predictions between which all but OUTSIDE of measured times of other sizes are:
    normal errors, of which so few are known (Student's t)."""
    width = (special.stdtrit(len(errors), 1 - spread.OUTSIDE / 2)
             * np.sqrt(np.mean(errors ** 2) * (1 + 1 / len(errors))))
    return {"low": float(f"{np.exp(-width):.3g}"), "high": float(f"{np.exp(width):.3g}")}


def costs_of(fit) -> dict:
    """{key: {value, low, high or interval, unit, evidence}}, as calibrations have them."""
    known, found = own.widths_of(fit), {}
    factors = fit.factors.of(None, fit.logs)
    for key in own.KEYS:
        prior, width = known[key]
        value = own.shown(fit.predictor.base, key)
        if value is None:
            continue
        told = width < own.TOLD * prior
        found[f"library.blocks.{key}"] = {"value": own.scaled_by(value, factors[key])} | (
            {"low": own.scaled_by(value, factors[key] - 1.96 * width),
             "high": own.scaled_by(value, factors[key] + 1.96 * width)} if told
            else {"interval": "not identifiable"}) | {
            "evidence": "the log" if told else "the profile, for the most part"}
    return found


def words_of(errors) -> str:
    one = summary(errors)
    return f"median {one['median']:.1%}, p90 {one['p90']:.1%}"


def text_of(fit, log, options) -> str:
    rows, base = fit.rows, fit.predictor
    seen = {"least": f"{min(row.size for row in rows)} B",
            "most": f"{max(row.size for row in rows)} B",
            "hosts": max(row.hosts for row in rows),
            "ranks_per_host": max(row.ranks // row.hosts for row in rows),
            "collectives": sorted({row.collective for row in rows}), **range_of(fit.left_out)}
    mpi = log.where["mpi"] or "NCCL"
    about = f"{mpi} on {options.cluster}, {options.library} fitted to {len(rows)} times"
    blocks = own.blocks_of(base.base, fit.factors.of(None, fit.logs))
    library = {"about": about, **base.library, "blocks": blocks, "fitted": Line(seen)}
    draws = own.draws_of(fit, DRAWS, options.seed) if options.bootstrap else []
    calibration = {"schema": SCHEMA, "date": now(), "program": "ringscope calibrate",
                   "emulated": log.where["emulated"], "parameters": costs_of(fit),
                   "errors": {"collectives": summary(fit.errors) | missed(fit),
                              "omitted sizes": summary(fit.left_out)},
                   "advice": [case_text(row) for _, row in fit.advice[:ADVISED]],
                   "draws": [Line(library={"blocks": one}) for one in draws],
                   "fitted": log.keys}
    head = [f"{options.library} fitted to {len(rows)} times of {mpi} on {options.cluster}.",
            f"Errors of the fit: {words_of(fit.errors)}. Errors of sizes omitted from the fit: "
            f"{words_of(fit.left_out)}."]
    body = {"cluster": base.cluster, "library": library, "calibration": calibration}
    return "".join(f"# {line}\n" for line in head) + yaml.dump(
        body, Dumper=Dumper, sort_keys=False, width=100, allow_unicode=True)


def case_text(row) -> str:
    forced = f"NCCL_ALGO=Ring NCCL_PROTO={row.protocol} " if row.protocol else ""
    hosts = f"{row.hosts} host" + "s" * (row.hosts > 1)
    return f"{forced}{row.collective} of {format_bytes(row.size)} on {row.ranks} GPUs of {hosts}"


def report_of(fit, log) -> str:
    rows = [("collective", "GPUs", "size", "measured", "predicted", "error", "size omitted",
             "error")]
    for row, here, there, error, omitted in zip(fit.rows, predicted(fit, fit.errors),
                                                predicted(fit, fit.left_out), fit.errors,
                                                fit.left_out):
        gpus = f"{row.ranks // row.hosts}x{row.hosts}" if row.hosts > 1 else str(row.ranks)
        rows.append((row.collective, gpus, format_bytes(row.size), format_time(row.seconds),
                     format_time(here), f"{np.expm1(error):+.1%}", format_time(there),
                     f"{np.expm1(omitted):+.1%}"))
    lines = ["Times by the fit, and by a fit that omits the size", "", *report.table(rows), "",
             f"Errors of the fit: {words_of(fit.errors)}",
             f"Errors of omitted sizes: {words_of(fit.left_out)}"]
    costs = costs_of(fit)
    told = [(name.removeprefix("library.blocks."), one["value"], f"{one['low']} .. {one['high']}")
            for name, one in costs.items() if "low" in one]
    if told:
        lines += ["", "Costs determined by the log (95 % intervals)"]
        lines += ["  " + line for line in report.table([("cost", "value", "interval"), *told])]
    rest = [name.removeprefix("library.blocks.") for name, one in costs.items() if "low" not in one]
    if rest:
        lines += ["", "Costs not determined by the log (close to the profile's)"]
        lines += textwrap.wrap(", ".join(rest), 98, initial_indent="  ", subsequent_indent="  ")
    if fit.advice:
        lines += ["", "Measurements that would narrow predictions most (share of the variance)"]
        lines += [f"  {share:4.0%}  {case_text(row)}" for share, row in fit.advice[:ADVISED]]
    if log.warnings:
        lines += ["", "Warnings"] + [f"  {line}" for line in log.warnings]
    return "\n".join(lines) + "\n"
