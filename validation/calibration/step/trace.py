# SPDX-License-Identifier: LGPL-2.1-or-later
"""Times of a GPU by class of kernel from a Kineto trace of one rank, and kernels fitted to them."""

import json
from collections import namedtuple

import numpy as np

from common.programs import InputError
from common.quantities import format_time
from validation.calibration.step.scenario import SHARES, Step, scaled
from validation.calibration.verdict.text import columns

# Parts of kernels' names; the first class with one of them counts.
NAMES = {"nccl": ("nccl",), "attention": ("flash", "fmha", "attn"),
         "matrix": ("gemm", "cutlass", "xmma", "nvjet"), "memory": ("",)}
EXPECTED = ("expected a trace of PyTorch's profiler: JSON with the list 'traceEvents' of maps with "
            "numbers 'ts' and 'dur'")
MOST_US = 1e18  # of a time
LONG_S = 1e-3  # a longer idle time is no wait for a launch
UNLIKE = 0.05  # of a step: waits for launches that differ by more are fitted
CHANGE, ROUNDS, LAUNCHES = 0.98, 4, 40
# Seconds of a step. counts, kernels: by class, of the trace and of a step; launches: idle times
# below LONG_S.
Times = namedtuple("Times", "counts kernels computing exposed launches pauses step")


def events_of(path: str, data: bytes):
    """(category, name, begin, end) of the events that last, in seconds."""
    number = -1
    try:
        for number, event in enumerate(json.loads(data)["traceEvents"]):
            if event.get("ph") == "X":
                begin, lasts = float(event["ts"]), max(0.0, float(event["dur"]))
                if not abs(begin) + lasts < MOST_US:
                    raise ValueError(f"a time of {max(abs(begin), lasts)} us")
                yield event.get("cat"), str(event.get("name")), begin * 1e-6, (begin + lasts) * 1e-6
    except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError,
            ValueError) as error:
        raise InputError(f"{path}: {f'event {number}' if number >= 0 else 'file'}: {EXPECTED}, got "
                         f"{type(error).__name__}: {error}") from None


def merged(spans: list) -> np.ndarray:
    """Begins and ends of disjoint spans, in order."""
    found = []
    for begin, end in sorted(spans):
        if found and begin <= found[-1]:
            found[-1] = max(found[-1], end)
        else:
            found += [begin, end]
    return np.array(found)


def read(path: str, data: bytes) -> Times:
    spans, steps = {name: [] for name in NAMES}, []
    for category, name, begin, end in events_of(path, data):
        if category == "user_annotation" and name.startswith("ProfilerStep"):
            steps.append((begin, end))
        if category in ("kernel", "gpu_memset") or category == "gpu_memcpy" and "DtoD" in name:
            spans[next(kind for kind, parts in NAMES.items()
                       if any(part in name.lower() for part in parts))].append((begin, end))
    computing = merged(sum((spans[name] for name in SHARES), []))
    if not np.diff(computing)[::2].sum() > 0:
        raise InputError(f"{path}: expected kernels of a GPU that compute, got none: profile with "
                         "ProfilerActivity.CUDA")
    busy, count = merged(sum(spans.values(), [])), max(1, len(steps))
    begin, *_, end = merged([(busy[0], busy[-1]), *steps])
    idle, total = np.diff([begin, *busy, end])[::2], np.diff(computing)[::2].sum()
    long = idle[idle >= LONG_S].sum()
    sums = total, np.diff(busy)[::2].sum() - total, idle.sum() - long, long, end - begin
    return Times({name: len(some) for name, some in spans.items()},
                 {name: float(np.sum(some, axis=0) @ [-1, 1]) / count if some else 0.0
                  for name, some in spans.items()}, *(float(one) / count for one in sums))


class Fit:
    """The model's times become those of the trace."""

    def __init__(self, step: Step, times: Times):
        self.step, self.times, self.kernels = step, times, step.kernels
        seen = np.array([times.kernels[name] for name in SHARES])
        seen *= times.computing / seen.sum()  # without overlaps
        self.before = self.after = self.classes()
        for _ in range(ROUNDS):
            whole = [self.after.sum() / seen.sum()] * len(seen)  # where a class is missing
            ratios = self.after / seen if seen.all() and self.after.all() else whole
            self.kernels = scaled(self.kernels, dict(zip(SHARES, ratios)))
            self.after = self.classes()
        self.options = self.host()

    def busy(self, jobs: list) -> list:
        """Seconds that a GPU computes, by (kernels, options)."""
        jobs = [(self.step.path, self.step.tree, *job) for job in jobs]
        return [one["busy_s"] + one["repeated_s"] + one["update_s"]
                for one in self.step.estimates(jobs)]

    def classes(self) -> np.ndarray:
        """Seconds of the classes: the change of the step by a change of their shares."""
        slow = [self.kernels, *(scaled(self.kernels, {name: CHANGE}) for name in SHARES)]
        first, *others = self.busy([(one, {"launch": "0 s"}) for one in slow])
        return (np.array(others) - first) / (1 / CHANGE - 1)

    def host(self) -> dict:
        """Launch, if the waits for it are unlike those of the trace, and the other idle time."""
        idle, step = self.times.launches, self.step
        tries = [step.seconds("launch", "10 us"), 0, *np.geomspace(1e-6, 1e-2, LAUNCHES - 2)]
        usual, *busy = self.busy([(self.kernels, {"launch": f"{one} s"}) for one in tries])
        waits, fitted = usual - busy[0], {}
        if abs(waits - idle) > UNLIKE * self.times.step:
            waits = idle
            fitted["launch"] = format_time(np.interp(busy[0] + idle, busy, tries[1:]))
        return fitted | {"step_overhead": format_time(max(0, idle + self.times.pauses - waits))}

    def report(self) -> str:
        times, models = self.times, dict(zip(SHARES, zip(self.before, self.after)))
        rows = [(name, str(times.counts[name]), times.kernels[name], *models.get(name, ()))
                for name in (*SHARES, "nccl")]
        rows += [("computing", "", times.computing, self.before.sum(), self.after.sum()),
                 ("nccl alone (exposed)", "", times.exposed),
                 ("no kernel (host)", "", times.launches + times.pauses), ("step", "", times.step)]
        table = columns(["part of a step", "kernels", "trace", "model", "fitted"], [
            [*row[:2], *map(format_time, row[2:]), *[""] * (5 - len(row))] for row in rows])
        return "\n".join([*table, "", *(f"{key}: {value}" for key, value in
                                        self.options.items())]) + "\n"
