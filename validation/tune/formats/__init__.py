# SPDX-License-Identifier: LGPL-2.1-or-later
"""The libraries' files: one file each, and its name in this list."""

from validation.tune.formats import (intel, mpich, mpich_limits, nccl, ncclx, open_mpi,
                                      open_mpi_json, ucc)

FORMATS = {one.FORMAT.name: one.FORMAT for one in (
    open_mpi, open_mpi_json, nccl, ncclx, ucc, mpich, mpich_limits, intel)}
