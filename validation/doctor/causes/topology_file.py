# SPDX-License-Identifier: LGPL-2.1-or-later
"""NCCL reads a topology file of another machine, and takes NICs that are far from its GPUs."""

from validation.doctor.causes.cause import stated_alone

CAUSE = stated_alone(
    "topology-file",
    "NCCL has a topology file, maybe of another machine: it takes links and NICs that it names",
    "env | grep NCCL_TOPO_FILE; ls /var/run/nvidia-topologyd  # compare it with nvidia-smi topo "
    "-m; the same run without it")
