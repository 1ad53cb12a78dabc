# SPDX-License-Identifier: LGPL-2.1-or-later
"""Times of NCCL's collectives from a table: for compilers, schedulers and cost models."""

from __future__ import annotations

import os
from typing import NamedTuple, Optional

from ringscope import _core
from ringscope._progress import Progress, shown
from ringscope._questions import Question, as_yaml


class NcclEstimate(NamedTuple):
    """Time of one call in seconds, and between which 90 % of measured times should be: None where
    the library has no `spread`. `channels` is also the number of thread blocks of a GPU."""

    time_s: float
    low_s: Optional[float]
    high_s: Optional[float]
    algorithm: str
    protocol: str
    channels: int


class NcclEstimator:
    """Times of one communicator. `bound`: how far lines between the simulated sizes may be off, as
    a share of the time, wherever they were checked; `len()`: number of these sizes."""

    def __init__(self, table: _core.NcclTimes, bound: float):
        self._table = table
        self.bound = bound
        self.time = table.time
        """Seconds of a size in bytes: the quickest query."""

    def __len__(self) -> int:
        return len(self._table)

    def __call__(self, bytes: int) -> NcclEstimate:
        return NcclEstimate._make(self._table.at(bytes))


def nccl_estimate(cluster: Question, collective: str, ranks: Optional[int] = None,
                  library: Optional[Question] = None, placement: Optional[Question] = None, *,
                  least: int = 8, most: int = 1 << 34, bound: float = 0.02,
                  progress: Progress = None) -> NcclEstimator:
    """Simulates sizes from `least` to `most` bytes, so that any size is answered in microseconds.

    `cluster`, `library`, `placement`: names, paths, or dicts as in a scenario. By default the GPUs
    of host after host, by the profile in the cluster's file or the shipped one for them. Raises
    InputError."""
    if not 0 < least < most or not 0 < bound < 1:
        raise ValueError("expected 0 < least < most and 0 < bound < 1, got "
                         f"least {least}, most {most}, bound {bound}")
    words = [one if isinstance(one, str) else "" if one is None else os.fspath(one)
             if isinstance(one, os.PathLike) else as_yaml(dict(one))
             for one in (cluster, library, placement)]
    with shown(progress, "simulating") as show:
        table = _core.NcclTimes(words[0], collective, "" if ranks is None else str(ranks),
                                words[1], words[2], least, most, bound, show)
    return NcclEstimator(table, bound)
