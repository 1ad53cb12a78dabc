# SPDX-License-Identifier: LGPL-2.1-or-later
"""Verdicts of three values: normal, not normal, or cannot tell, with the one thing that would tell.

Not normal needs a curve that the prediction's interval excludes for certain. A verdict is withheld
where the machine is faster than described, and where the largest sizes reach the expected rate
while smaller ones are slow: this network, or its software, may be so. It is also withheld between
hosts where no size is large enough to show the links' rate, and where the library's costs are
illustrative, the curve is near the range, or slow inside it, and the links' rate is right. Lines
that state a cause, a reference and a calibrated model settle these. No verdict is given of other
GPUs than the cluster's.
"""

import math

from validation.doctor import inputs, reference
from validation.doctor.diagnosis import Diagnosis
from validation.doctor.scenario import parts
from validation.doctor.scenario.scene import hosts_of

NORMAL, NOT_NORMAL, CANNOT_TELL = "normal", "not normal", "cannot tell"
CODES = {NORMAL: 0, NOT_NORMAL: 5, CANNOT_TELL: 6}
STEEP, LARGE = 0.6, 16 << 20  # slope of log time over log size; bytes: the links' rate shows
FAR = 2.5  # times the width of the normal range: no network of this kind is so slow
SLOW = math.log(1.5)  # inside the range of illustrative costs: they would not show a fault
KNOWN = ("fitted", reference.SAME, reference.OTHER)  # families of errors of this very machine

ILLUSTRATIVE = ("the library's costs are illustrative: a log of a good day (--reference GOOD.log), "
                "or a cluster that `ringscope calibrate` wrote")


def shows_rate(points: list) -> bool:
    """True if the last of the points of a series is one whose expected time goes with its size."""
    last = points[-1]
    if len(points) < 2 or last.bytes >= LARGE:
        return last.bytes >= LARGE
    octaves = math.log(last.bytes / max(points[-2].bytes, 1))
    return math.log(last.expected / points[-2].expected) >= STEEP * octaves


def farthest(diagnosis: Diagnosis) -> float:
    """The second largest of times over the normal range's ends, as logarithms."""
    points, errors = diagnosis.curve.points, diagnosis.errors
    series = points[diagnosis.first].series
    found = sorted((log / errors.high[i] for i, log in enumerate(diagnosis.logs)
                    if points[i].series == series and log > 0), reverse=True)
    return found[min(1, len(found) - 1)] if found else 0.0


def doubt(diagnosis: Diagnosis) -> str:
    """Words for the one thing that would tell whether the curve is normal; "" where it is clear."""
    first = diagnosis.curve.points[diagnosis.first]
    if first.ratio < 1:
        return (f"the machine is faster than {diagnosis.cluster} describes: its file with the true "
                "links and library (ringscope import-machine)")
    stated = any(line.strong for line in diagnosis.stated.values())
    if stated or (first.family or diagnosis.family) in KNOWN:
        return ""
    own = diagnosis.curve.places(first.series)
    shows = shows_rate(diagnosis.curve.of(first.series))
    wrong_rate = shows and diagnosis.off[own[-1]] and not first.over  # of no staged copy
    if diagnosis.family == "illustrative" and farthest(diagnosis) < FAR and not wrong_rate:
        return ILLUSTRATIVE
    if (hosts_of(first.placement) < 2 or first.job["algorithm"] != "nccl"
            or farthest(diagnosis) > FAR):
        return ""
    if not shows:
        return "sizes up to 1 GiB, which show what the links carry"
    if not wrong_rate:
        return ("the largest size is as fast as expected, smaller ones are slow: this network or "
                "its plug-in may be so: lines of NCCL_DEBUG=INFO, or a log of a good day "
                "(--reference GOOD.log)")
    return ""


def other_gpus(diagnosis: Diagnosis) -> str:
    """Words for GPUs of the log where the cluster's `about` names others; "" where it does not."""
    devices = ", ".join(dict.fromkeys(diagnosis.curve.where.get("devices") or []))
    log, own = ({found[0].upper() for found in inputs.MODELS.finditer(text)} for text in
                (devices, str(diagnosis.scene.cluster.get("about", ""))))
    if not log or not own or log & own:
        return ""
    known = ", ".join(parts.clusters_with_gpus_of(devices)) or "none"
    return (f"the log is of {devices}, but {diagnosis.cluster} has {', '.join(sorted(own))} "
            f"(built-in clusters with the log's GPUs: {known})")


def verdict(diagnosis: Diagnosis) -> tuple:
    """(verdict, the one thing that would tell)"""
    if other := other_gpus(diagnosis):
        return CANNOT_TELL, other
    if diagnosis.normal:
        slow = diagnosis.family == "illustrative" and sum(diagnosis.logs > SLOW) > 1
        return (CANNOT_TELL, ILLUSTRATIVE) if slow else (NORMAL, "")
    missing = doubt(diagnosis)
    return (CANNOT_TELL, missing) if missing else (NOT_NORMAL, "")
