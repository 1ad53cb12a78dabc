# SPDX-License-Identifier: LGPL-2.1-or-later
"""Diagnose a benchmark log: normal for this cluster, or which cause.

LOG is what nccl-tests, OSU or IMB printed, or a document of measurements; CLUSTER is one of ours or
a file, best one that `ringscope calibrate` or `import-machine` wrote. Expected times are simulated.
Where the curve is not normal, every known cause is simulated in turn, and they are ranked by how
well each explains the whole curve.

Examples:
  ringscope doctor all_reduce.log mycluster.yaml
  ringscope doctor all_reduce.log dgx1v --json diagnosis.json -o diagnosis.png
  ringscope doctor osu.log mycluster.yaml --nodes 4 --ranks-per-node 8

Exit codes: 0 done, normal or not; 1 bad input; 3 a simulation that is stuck.
"""

import argparse
import sys

from common.programs import Parser, page_parser, run_main, write_text
from validation.arguments import count, percentage, placement
from validation.calibration.imports import collectives
from validation.calibration.imports.findings import Given
from validation.calibration.verdict.simulator import Simulator
from validation.doctor import curve, diagnosis, document, inputs, ranking, telling, text
from validation.doctor.causes import CAUSES
from validation.doctor.errors import Errors
from validation.doctor.what_if import WhatIf


def choice(words: str) -> tuple:
    collective, _, algorithm = words.partition("=")
    if not (collective and algorithm):
        raise argparse.ArgumentTypeError(f"expected COLLECTIVE=ALGORITHM, got '{words}'")
    return collective, algorithm


class ListCauses(argparse.Action):
    """Prints the known causes and ends, as --help does."""

    def __call__(self, parser, *_):
        for one in CAUSES:
            print(f"{one.name}: {one.title}\n  look: {one.check}")
        parser.exit()


def arguments():
    parser = page_parser("ringscope doctor", __doc__, Parser)
    parser.add_argument("logs", nargs="+", metavar="LOG")
    parser.add_argument("cluster", metavar="CLUSTER")
    parser.add_argument("--library", default="", metavar="NAME", help="how messages move; default: "
                        "that of CLUSTER's file, else the nearest of ours")
    parser.add_argument("--nodes", type=count, metavar="N", help="of an OSU log: hosts")
    parser.add_argument("--ranks-per-node", type=count, metavar="N")
    parser.add_argument("--collective", default="", metavar="NAME", type=collectives.of_option,
                        help="which one a run of nccl-tests measured, where it does not say")
    parser.add_argument("--placement", type=placement, metavar="PLACEMENT",
                        help="where the ranks were, in place of what the log says: 8x2, or JSON")
    parser.add_argument("--algorithm", type=choice, action="append", default=[],
                        metavar="COLLECTIVE=NAME", help="what ran, where the log does not say")
    parser.add_argument("--noise", type=percentage, metavar="5%", help="relative standard "
                        "deviation of the measurement; default: from its samples, else 5%%")
    parser.add_argument("--json", metavar="FILE", help='write all of it as JSON; "-" in place of '
                        "the text")
    parser.add_argument("-o", "--output", metavar="FIGURE", help="draw the measured curve, the "
                        "expected one and the best three causes: .png, .svg, .pdf or .eps")
    parser.add_argument("--causes", action=ListCauses, nargs=0, help="list the known causes and "
                        "where to look for each")
    parser.add_argument("--all", action="store_true",
                        help="simulate the causes also where the curve is normal")
    return parser.parse_args()


def diagnose(simulator: Simulator, options) -> diagnosis.Diagnosis:
    given = Given(options.nodes, options.ranks_per_node, options.collective)
    chooser = curve.Chooser(simulator.algorithms(), simulator.nccl(),
                            inputs.algorithms_of(options.cluster) | dict(options.algorithm))
    measured = curve.read(options.logs, given, chooser)
    scene, chosen = inputs.scene_of(measured, options.cluster, options.library, options.placement)
    what_if = WhatIf(simulator)
    diagnosis.expect(what_if, scene, measured)
    errors = Errors(measured.points, chosen.family, options.noise)
    found = diagnosis.Diagnosis(measured, scene, chosen.family, errors, chosen.name,
                                options.cluster, notes=[*chosen.notes, *measured.notes])
    found.first = ranking.abnormal(measured.points, errors)
    if not found.normal or options.all:
        found.ranked = diagnosis.rank(what_if, found, CAUSES)
        found.telling = telling.tell(what_if, scene, ranking.alike(found.ranked))
    return found


def main():
    options = arguments()
    found = diagnose(Simulator(), options)
    if options.json:
        write_text(options.json, document.json_text(found))
    if options.output:
        from validation.doctor import figure  # matplotlib is slow to load, and may not be there
        figure.write(found, options.output)
    if options.json != "-":
        sys.stdout.write(text.text(found))


if __name__ == "__main__":
    run_main(main)
