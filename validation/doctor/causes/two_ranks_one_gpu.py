# SPDX-License-Identifier: LGPL-2.1-or-later
"""Two ranks share one GPU."""

from validation.doctor.causes.cause import stated_alone

CAUSE = stated_alone(
    "two-ranks-one-gpu",
    "two ranks are on one GPU: they take turns, and no link between GPUs is measured",
    "env | grep -e CUDA_VISIBLE_DEVICES -e SLURM_GPUS_PER_TASK  # the bus ids of nccl-tests' "
    "device lines; --gpus-per-task, local ranks")
