# SPDX-License-Identifier: LGPL-2.1-or-later
"""Rows of published/training: jobs on one GPU, which set the computation, and on several."""

from dataclasses import dataclass

from validation import PUBLISHED
from validation.csv_files import rows_of

FILE = PUBLISHED / "training" / "dlperf-resnet50-bert.csv"


@dataclass(frozen=True)
class Row:
    """A measured training job."""

    model: str
    framework: str
    batch: int  # records of a GPU and step
    hosts: int
    gpus: int
    step_s: float  # from the throughput of all GPUs

    @property
    def job(self) -> tuple:
        return self.model, self.framework

    @property
    def held_out(self) -> bool:
        return self.gpus > 1


def row_of(cells: dict) -> Row:
    batch, gpus = int(cells["batch_per_gpu"]), int(cells["gpus"])
    return Row(cells["model"], cells["framework"], batch, int(cells["hosts"]), gpus,
               batch * gpus / float(cells["throughput"]))


def rows() -> list:
    return [row_of(cells) for cells in rows_of(FILE)]


def one_gpu_steps(some: list) -> dict:
    """{job: seconds of a step on one GPU}"""
    return {row.job: row.step_s for row in some if not row.held_out}
