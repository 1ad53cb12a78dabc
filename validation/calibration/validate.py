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

import math
import sys

from common.programs import InputError, Parser, page_parser, run_main, values_of, write_text
from validation.arguments import number, parsed
from validation.calibration.fit.points import asked_for
from validation.calibration.imports import collectives, logs
from validation.calibration.verdict import accuracy, files, judge, markdown, model, text
from validation.calibration.verdict.simulator import Simulator


class TooFar(InputError):
    """The model is further off than the user allows."""

    exit_code = 5


def is_amount(value: float) -> bool:
    return 0 <= value < math.inf


def share(words: str) -> float:
    return number(words, "%", is_amount, "a percentage such as 8%") / 100


def cores(words: str) -> float:
    return number(words, "", is_amount, "a number of cores such as 0.3")


def arguments():
    return parsed(page_parser("ringscope validate", __doc__, Parser), "validate", "log",
                  share=share, cores=cores, chosen=model.CHOSEN, collective=collectives.of_option)


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
