# SPDX-License-Identifier: LGPL-2.1-or-later
"""Fit a cluster and a library profile to measurements.

The output is one YAML file, which the simulator reads as cluster and as library. Probes determine
all its values, a published latency curve a part of them. Measured collectives determine values that
a latency curve leaves open; a traced ring determines the costs per byte. Each value has an interval
or is listed as not identifiable. The file also contains alternative fits and the fitted range.
`ringscope validate` computes prediction intervals from these fits. `ringscope run` reports
extrapolation beyond the range.

With --step, the inputs are CSV files of measured training steps, with the columns gpus and step_s
and optional columns tp, pp, cp, dp, micro_batch, global_batch and precision; or a trace of
PyTorch's profiler of one rank. The output has options of a job with `program: llm`: a GPU with
fitted kernels.

With --next, the input is a model that `calibrate` wrote, or probes. The output is a table of the
measurements that would narrow the interval of a scenario's prediction most.

Examples:
  ringscope calibrate osu_latency.log osu_allreduce.log --nodes 4 -o mycluster.yaml
  ringscope calibrate probes.json -o mycluster.yaml --report fit.txt --figure fit.png
  ringscope calibrate all_reduce.log --cluster h100_nvswitch --library nccl_h100 -o my.yaml
  ringscope calibrate osu.probes.json osu.replay.json --only hosts_count=4 --only hosts_count=8 \\
      -o mycluster.yaml
  ringscope calibrate steps.csv --step step.yaml -o fit.yaml
  ringscope calibrate mycluster.yaml --next question.yaml

RINGSCOPE is the path of the simulator (default: the build next to the sources).
"""

import os
import pathlib
import sys
import tempfile

from common.programs import (InputError, Parser, page_parser, pairs_of, run_main, values_of,
                                 write_text)
from common.quantities import parse_quantity
from validation.arguments import add_options
from validation.calibration import next_probe
from validation.calibration.fit import calibration, draws, parameters, profile, report
from validation.calibration.imports import logs, source
from validation.calibration.nccl import own_file
from validation.calibration.step import fit, scenario, trace
from validation.calibration.verdict.simulator import Simulator
from validation.measurements import case_key

PROGRAM = "ringscope calibrate"
OF_PROBES = ("figure", "cores", "transport", "rounds", "assume", "memory", "segment", "algorithm",
             "next")
OF_STEPS = {"documents", "step", "output", "report"}


def natural(text):
    value = int(text)
    if value < 0:
        raise ValueError
    return value


def arguments():
    parser = page_parser(PROGRAM, __doc__, Parser)
    add_options(parser, "calibrate", natural=natural, hosts=calibration.HOSTS,
                cores=calibration.CORES, rounds=calibration.Settings.rounds)
    logs.add_options(parser)
    options = parser.parse_args()
    if not (options.output or options.next):
        parser.error("the following arguments are required: -o/--output")
    if options.cluster or options.library:
        check_read(parser, options, OF_PROBES, "--cluster and --library", "probes")
    if options.step:
        check_read(parser, options, sorted(vars(options).keys() - OF_STEPS), "--step",
                   "probes or collectives")
    return options


def check_read(parser, options, names, given, other):
    """Rejects options `names` of another fit than that of the given ones."""
    for name in names:
        if getattr(options, name) != parser.get_default(name):
            raise InputError(f"--{name.replace('_', '-')}: expected no such option with {given}: "
                             f"it is for a fit to {other}")


def shares_of(assumptions):
    shares = {}
    for text in assumptions:
        key, _, value = text.partition("=")
        names = {"network.cpu_share": "cpu", "network.cost_share": "cost"}
        if key not in names:
            raise InputError(f"--assume: expected {' or '.join(names)}, got '{key}'")
        try:
            shares[names[key]] = float(value)
        except ValueError:
            shares[names[key]] = -1.0
        if not 0 <= shares[names[key]] <= 1:
            raise InputError(f"--assume {key}: expected a number from 0 to 1, got '{value}'")
    return shares


def segment_of(text):
    if text is None:
        return None
    size = parse_quantity(text, "bytes", "--segment")
    if size < 1:
        raise InputError(f'--segment: expected a size above 0, got "{text}"')
    return size


def fit_probes(documents, options, settings):
    """(text of the file, report, warnings)"""
    result = calibration.calibrate(documents, settings)
    parameters.add_intervals(result, settings)
    result.draws = draws.draw_again(result, settings)
    errors = report.errors_of(result)
    if options.figure:
        from validation.calibration.fit import figure  # matplotlib loads longer than most fits take
        figure.write(result, options.figure)
    return (profile.text_of(result, PROGRAM, [PROGRAM, *sys.argv[1:]], errors),
            report.text_of(result), report.warnings_of(result))


def fit_steps(paths, path):
    """(text of the file, report, warnings)"""
    data, step = {one: source.bytes_of(one) for one in paths}, scenario.Step(path, Simulator())
    traces = [one for one in paths if data[one].lstrip()[:1] in (b"{", b"[")]
    if traces and len(paths) > 1:
        raise InputError(f"{traces[0]}: expected a trace alone, or tables, got {len(paths)} files")
    tables = [] if traces else [step.rows(source.source_of(*one)) for one in data.items()]
    found = trace.Fit(step, trace.read(*traces, *data.values())) if traces else \
        fit.fit(step, [row for rows, _ in tables for row in rows])
    return (scenario.text_of(step, found.kernels, found.options), found.report(),
            [one for _, warnings in tables for one in warnings])


def next_text(documents, options, settings):
    """Table of --next, by the fit to the documents; without documents, by the fit at the path."""
    path = options.documents[0]
    with tempfile.TemporaryDirectory() as folder:
        if documents:
            path = os.path.join(folder, pathlib.Path(path).stem + ".yaml")
            write_text(path, fit_probes(documents, options, settings)[0])
        seen = {case_key(one) for document in documents for one in document.measurements}
        try:
            return next_probe.text_of(Simulator(), path, options.next, seen)
        except InputError as error:
            raise type(error)(str(error).replace(path, options.documents[0])) from None


def main():
    options = arguments()
    settings = calibration.Settings(options.hosts, options.cores, options.transport, options.seed,
                                    options.bootstrap, options.rounds, shares_of(options.assume),
                                    pairs_of("--algorithm", options.algorithm),
                                    values_of("--only", options.only), options.memory,
                                    segment_of(options.segment))
    is_fit = options.next and len(options.documents) == 1 and options.documents[0].endswith(".yaml")
    documents = [one for path in options.documents if not (options.step or is_fit)
                 for one in logs.documents_at(path, options)]
    if options.next:
        write_text(options.output or "-", next_text(documents, options, settings))
        return
    if options.step:
        text, told, warnings = fit_steps(options.documents, options.step)
    elif options.cluster or options.library:
        text, told, warnings = own_file.calibrate(documents, options, settings.only)
    else:
        text, told, warnings = fit_probes(documents, options, settings)
    write_text(options.output, text)
    write_text(options.report or "-", told)
    for warning in warnings:
        print(f"calibrate: warning: {warning}", file=sys.stderr)


if __name__ == "__main__":
    run_main(main)
