# SPDX-License-Identifier: LGPL-2.1-or-later
"""Simulate collectives and training steps on a described cluster, and explain the result.

    import ringscope

    cases = ringscope.run("03-anomaly")            # a scenario of ours, a file, YAML or a dict
    print(cases[0].time_s, cases[0].busbw)         # seconds, bytes per second
    frame = ringscope.sweep("cores-or-wires")      # a pandas DataFrame, one row per point
    places = ringscope.place("03-anomaly")         # all placements that differ, the best first

All times are in seconds, all sizes in bytes, all rates in bytes per second; what a dict or YAML
says has its unit in its text ("64 MiB", "10 Gbit/s"), as scenarios/format.md describes it. Bad
input raises InputError (a ValueError) with the place and the known names, a run that can never end
DeadlockError. Long work shows its progress on a terminal or in a notebook, and ^C ends it.
"""

from ringscope._calibration import Calibration, calibrate
from ringscope._cases import Cases, Report, compare, explain, run
from ringscope._commands import advise, check, estimate, names, predict, show
from ringscope._core import DeadlockError, InputError, __version__, data_directory, metric_names
from ringscope._figures import figure
from ringscope._gains import Gains, what_if
from ringscope._logs import Diagnosis, Tuning, Verdict, doctor, measurements, tune, validate
from ringscope._places import Places, place
from ringscope._studies import sweep
from ringscope._times import NcclEstimate, NcclEstimator, nccl_estimate

__all__ = ["Calibration", "Cases", "DeadlockError", "Diagnosis", "Gains", "InputError",
           "NcclEstimate", "NcclEstimator", "Places", "Report", "Tuning", "Verdict", "__version__",
           "advise", "calibrate", "check", "compare", "data_directory", "doctor", "estimate",
           "explain", "figure", "measurements", "metric_names", "names", "nccl_estimate", "place",
           "predict", "run", "show", "sweep", "tune", "validate", "what_if"]
