# SPDX-License-Identifier: LGPL-2.1-or-later
"""The libraries' files: one file each, and one line in this list."""

from validation.tune.formats import (intel, mpich, mpich_limits, nccl, ncclx, open_mpi,
                                      open_mpi_json, ucc)

FORMATS = {one.name: one for one in (
    open_mpi.FORMAT,
    open_mpi_json.FORMAT,
    nccl.FORMAT,
    ncclx.FORMAT,
    ucc.FORMAT,
    mpich.FORMAT,
    mpich_limits.FORMAT,
    intel.FORMAT,
)}
