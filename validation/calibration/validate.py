# SPDX-License-Identifier: LGPL-2.1-or-later
"""Predict measured cases and report the errors.

Each case is simulated with the cluster and the library that `ringscope calibrate` wrote, and with
its alternative fits. These determine the interval of each prediction and the coverage, the fraction
of measured cases within their intervals. Fitted cases and noisy cases are listed separately. The
errors are those of all other cases.

Examples:
  ringscope validate mycluster.yaml real.json
  ringscope validate mycluster.yaml real.json --max-error 8% --max-p90 20% --figure out

Exit codes: 0 done, 1 bad input, 3 deadlock in a simulation, 5 error above its limit.
"""

import argparse
import sys

from common.programs import InputError, Parser, page_parser, run_main, values_of, write_text
from validation.arguments import choice
from validation.calibration.fit.points import asked_for
from validation.calibration.imports import logs
from validation.calibration.verdict import accuracy, files, judge, markdown, model, text
from validation.calibration.verdict.simulator import Simulator


class TooFar(InputError):
    """The model is further off than the user allows."""

    exit_code = 5


def not_negative(words: str, unit: str, expected: str) -> float:
    try:
        value = float(words.removesuffix(unit)) if words.endswith(unit) else -1
    except ValueError:
        value = -1
    if not 0 <= value < float("inf"):
        raise argparse.ArgumentTypeError(f"expected {expected}, got '{words}'")
    return value


def share(words: str) -> float:
    return not_negative(words, "%", "a percentage such as 8%") / 100


def cores(words: str) -> float:
    return not_negative(words, "", "a number of cores such as 0.3")


def arguments():
    parser = page_parser("ringscope validate", __doc__, Parser)
    parser.add_argument("model", metavar="MYCLUSTER.yaml", help="file written by `calibrate`")
    parser.add_argument("documents", metavar="REAL", nargs="+",
                        help="replays or traces (validation/measurement.md), or logs of benchmarks")
    for name, limit, words in (("--max-error", "8%", "median of the absolute error"),
                               ("--max-p90", "20%", "90th percentile of the absolute error")):
        parser.add_argument(name, type=share, metavar=limit, help=f"limit of the {words} of the "
                            "counted cases; above it, the exit code is 5")
    parser.add_argument("--max-spread", type=share, default=0.10, metavar="10%",
                        help="spread of the samples above which a case is noisy (default: 10%%)")
    parser.add_argument("--foreign", type=cores, default=0.3, metavar="0.3",
                        help="background CPU load, in cores, above which a case is noisy "
                        "(default: 0.3)")
    parser.add_argument("--algorithm", type=choice, action="append", default=[],
                        metavar="COLLECTIVE=NAME", help="algorithm of the library if the document "
                        f"names none (default: {model.CHOSEN}, or the choice of the document's "
                        "Open MPI or MPICH version; a warning reports an unknown version)")
    parser.add_argument("--any-emulation", action="store_true",
                        help="accept, with a warning, measurements with another emulation than "
                        "the fit's")
    parser.add_argument("--only", action="append", default=[], metavar="KEY=VALUE",
                        help="parameter of the replays to predict, such as hosts_count=4; several "
                        "values of one key are alternatives (default: all replays)")
    parser.add_argument("--no-interval", action="store_true",
                        help="skip the alternative fits: faster, without intervals and coverage")
    parser.add_argument("--fitted", choices=("apart", "refuse"), default="apart",
                        help="treatment of fitted cases: a separate list, or an error "
                        "(default: %(default)s)")
    for name, words in (("--csv", "one row per case, as CSV"), ("--json", "report as JSON"),
                        ("--markdown", "summary for a README, as Markdown")):
        parser.add_argument(name, metavar="FILE", help=words)
    parser.add_argument("--figure", metavar="FOLDER", help="folder for the figures (PNG)")
    logs.add_options(parser)
    return parser.parse_args()


def write_outputs(verdict: judge.Verdict, options):
    outputs = ((options.csv, files.csv_text), (options.json, files.json_text),
               (options.markdown, markdown.markdown))
    for path, form in outputs:
        if path:
            write_text(path, form(verdict))
    if options.figure and verdict.judged:
        from validation.calibration.verdict import figures  # matplotlib may not be there
        figures.write(verdict.judged, options.figure)
    if "-" not in (path for path, _ in outputs):
        sys.stdout.write(text.text(verdict))


def check_limits(verdict: judge.Verdict, options):
    figures = accuracy.figures(verdict.counted)
    for name, limit, value in (("median error", options.max_error, figures.median),
                               ("90th percentile of the error", options.max_p90, figures.p90)):
        if limit is None:
            continue
        if value is None:
            raise TooFar(f"{name}: expected at most {text.percent(limit)}, got no "
                         "counted case: all are noisy or fitted")
        if value > limit:
            raise TooFar(f"{name}: expected at most {text.percent(limit)}, got "
                         f"{text.percent(value, 2)} of {text.plural(figures.count, 'case')}")


def main():
    options = arguments()
    fitted = model.read(options.model)
    fitted.algorithms = dict(options.algorithm)
    documents = [one for path in options.documents
                 for one in logs.documents_at(path, options, ("replay", "trace"))]
    documents = asked_for(documents, values_of("--only", options.only))
    limits = accuracy.Limits(options.max_spread, options.foreign)
    verdict = judge.judge(Simulator(), fitted, documents, limits,
                          refuse_fitted=options.fitted == "refuse",
                          any_emulation=options.any_emulation,
                          intervals=not options.no_interval)
    for doubt in verdict.doubts:
        print(f"validate: warning: {doubt}", file=sys.stderr)
    write_outputs(verdict, options)
    check_limits(verdict, options)


if __name__ == "__main__":
    run_main(main)
