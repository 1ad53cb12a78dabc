# SPDX-License-Identifier: LGPL-2.1-or-later
"""Rows of published/training: jobs on one GPU and on one host, which set computation and input,
and on several hosts."""

from typing import NamedTuple

from validation import PUBLISHED
from validation.csv_files import rows_of

FILES = ("dlperf-resnet50-bert.csv", "dlperf-amp-resnet50.csv")


class Row(NamedTuple):
    """A measured training job."""

    model: str
    framework: str
    precision: str
    batch: int  # records of a GPU and step
    hosts: int
    gpus: int
    step_s: float  # from the throughput of all GPUs

    @property
    def job(self) -> tuple:
        return self.model, self.framework, self.precision


def row_of(cells: dict) -> Row:
    batch, gpus = int(cells["batch_per_gpu"]), int(cells["gpus"])
    return Row(cells["model"], cells["framework"], cells["precision"], batch, int(cells["hosts"]),
               gpus, batch * gpus / float(cells["throughput"]))


def rows() -> list:
    return [row_of(cells) for name in FILES for cells in rows_of(PUBLISHED / "training" / name)]


def steps_on(some: list, gpus: int) -> dict:
    """{job: seconds of a step on so many GPUs of one host}"""
    return {row.job: row.step_s for row in some if row.hosts == 1 and row.gpus == gpus}
