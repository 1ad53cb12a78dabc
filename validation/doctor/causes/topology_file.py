# SPDX-License-Identifier: LGPL-2.1-or-later
"""NCCL reads a topology file of another machine, and takes NICs that are far from its GPUs."""

from validation.doctor.causes.cause import stated_alone

CAUSE = stated_alone(
    "topology-file",
    "NCCL uses a topology file, possibly of another machine, with its links and NICs",
    "env | grep NCCL_TOPO_FILE; ls /var/run/nvidia-topologyd  # compare it with nvidia-smi topo "
    "-m; the same run without it")
