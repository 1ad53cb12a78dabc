# SPDX-License-Identifier: LGPL-2.1-or-later
"""Output of other programs, as documents of measurements: one file per format, one line here.

A format has NAME; MARKS, a pattern that some line of every such file matches and no other's does;
and parse(source, given), which returns Findings and raises InputError at the line that is wrong.
"""

import re

from common.programs import InputError
from validation.calibration.imports import (imb, nccl_csv, nccl_json, nccl_tests, nvbandwidth,
                                            osu, overlap_csv, p2p_csv, p2p_matrices, rates_csv,
                                            ring_trace, table_csv)

FORMATS = (osu, imb, nccl_tests, nccl_json, nccl_csv, table_csv, ring_trace, p2p_csv, rates_csv,
           p2p_matrices, nvbandwidth, overlap_csv)


def format_named(name: str):
    for one in FORMATS:
        if one.NAME == name:
            return one
    raise InputError(f"--format: expected one of {', '.join(one.NAME for one in FORMATS)}, "
                     f'got "{name}"')


def formats_of(source) -> list:
    """The formats that occur in the file: a log may hold what several programs printed."""
    found = [one for one in FORMATS
             if any(re.match(one.MARKS, line) for line in source.lines)]
    if not found:
        source.fail(1, f"output of a known format ({', '.join(one.NAME for one in FORMATS)})",
                    "none of their headers in the file; --format NAME says which one it is")
    return found
