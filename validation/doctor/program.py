# SPDX-License-Identifier: LGPL-2.1-or-later
"""Diagnose a benchmark log: normal for this cluster, or which cause.

LOG is the output of nccl-tests, OSU or IMB, or a document of measurements. CLUSTER is a built-in
cluster or a file, preferably from `ringscope calibrate` or `import-machine`. Expected times are
simulated. For a curve that is not normal, each known cause is simulated. The causes are ranked by
how well each explains the whole curve.

Examples:
  ringscope doctor all_reduce.log --cluster mycluster.yaml
  ringscope doctor all_reduce.log dgx1v --json diagnosis.json --figure diagnosis.png
  ringscope doctor osu.log mycluster.yaml --nodes 4 --ranks-per-node 8
  ringscope doctor today.log mycluster.yaml --reference monday.log
  ringscope doctor all_reduce.log mycluster.yaml --fail --json

Exit codes: 0 done, normal or not; 1 bad input; 3 deadlock in a simulation. With --fail: 0 normal,
5 not normal, 6 cannot tell.
"""

import os
import sys

from common.programs import InputError, Parser, for_terminal, page_parser, run_main, write_text
from validation.arguments import parsed
from validation.calibration.imports import collectives
from validation.calibration.imports.findings import Given
from validation.calibration.verdict.simulator import Simulator
from validation.doctor import (curve, diagnosis, document, evidence, inputs, judgement, ranking,
                               reference, telling, text)
from validation.doctor.causes import CAUSES
from validation.doctor.errors import Errors
from validation.doctor.scenario import parts
from validation.doctor.store import Store
from validation.doctor.what_if import WhatIf


def clusters_for(log: str) -> str:
    """The built-in clusters with the GPUs of a log, for a message."""
    known = os.path.isfile(log) and parts.clusters_with_gpus_of(evidence.text_of(log))
    return f"; built-in clusters with these GPUs: {', '.join(known)}" if known else ""


def arguments():
    causes = "\n".join(f"{one.name}: {one.title}\n  look: {one.check}" for one in CAUSES)
    options = parsed(page_parser("ringscope doctor", __doc__, Parser), "doctor",
                     collective=collectives.of_option, causes=causes)
    if not options.cluster:
        options.cluster = options.logs.pop()
    if not options.logs:
        raise InputError("ringscope doctor: expected LOG... and --cluster CLUSTER, got "
                         f"{options.cluster} alone{clusters_for(options.cluster)}")
    return options


def diagnose(simulator: Simulator, options) -> diagnosis.Diagnosis:
    given = Given(options.nodes, options.ranks_per_node, options.collective)
    chooser = curve.Chooser(simulator.algorithms(), simulator.nccl(),
                            inputs.algorithms_of(options.cluster) | dict(options.algorithm))
    measured = curve.read(options.logs, given, chooser)
    try:
        scene, chosen = inputs.scene_of(measured, options.cluster, options.library,
                                        options.placement)
    except InputError as error:
        for path in options.logs:
            for line in evidence.shared_gpu(path, evidence.text_of(path)).values():
                raise InputError(f"{error}; two ranks are on one GPU: {line.shown}") from None
        raise
    what_if = WhatIf(simulator, store=None if options.no_store else Store(simulator.program))
    diagnosis.expect(what_if, scene, measured)
    stated, struck = evidence.read(options.logs, scene)
    if options.reference:
        good = curve.read([options.reference], given, chooser)
        diagnosis.expect(what_if, inputs.scene_of(good, options.cluster, options.library, None)[0],
                         good)
        reference.follow(measured, good, options.reference)
    errors = Errors(measured.points, chosen.family, options.noise)
    family = reference.SAME if options.reference else chosen.family
    found = diagnosis.Diagnosis(measured, scene, family, errors, chosen.name,
                                options.cluster, notes=[*chosen.notes, *measured.notes],
                                stated=stated, struck=struck)
    found.first = ranking.abnormal(measured.points, errors)
    if not found.normal:
        found.stated = evidence.seen(measured.points, CAUSES) | stated
    if not found.normal or options.all:
        found.ranked = diagnosis.rank(what_if, found, CAUSES)
        if not found.stated:
            found.telling = telling.tell(what_if, scene, ranking.alike(found.ranked))
    return found


def main() -> int:
    options = arguments()
    found = diagnose(Simulator(), options)
    if options.json:
        one_line = options.fail and options.json == "-"
        write_text(options.json, (document.line_text if one_line else document.json_text)(found))
    if options.output:
        from validation.doctor import figure  # matplotlib is slow to load, and may not be there
        figure.write(found, options.output)
    if options.json != "-":
        sys.stdout.write(for_terminal(text.text(found)))
    return judgement.CODES[judgement.verdict(found)[0]] if options.fail else 0


if __name__ == "__main__":
    run_main(main)
