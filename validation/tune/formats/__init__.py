"""The libraries' files: one file each, and one line in this list."""

from validation.tune.formats import open_mpi

FORMATS = {one.name: one for one in (
    open_mpi.FORMAT,
)}
