# SPDX-License-Identifier: LGPL-2.1-or-later
"""Times of NCCL's collectives in a user's documents, as rows of a fit."""

from dataclasses import dataclass, field

from common.groups import grouped
from common.programs import InputError
from validation.calibration.fit.points import Points, asked_for
from validation.calibration.nccl.rows import Row
from validation.calibration.verdict import placements

APART = 1.25  # of two times of one case, out of place and in place: the larger one is an outlier
COLUMNS = "--collective NAME names it where a table does not"


@dataclass
class Log:
    """`keys` of all measured cases, by which `validate` tells seen ones apart."""
    rows: list
    keys: list
    where: dict
    warnings: list = field(default_factory=list)


def row_of(point, known: dict):
    """The row of a measured collective. Raises InputError where the simulator has no like."""
    parameters = point.parameters
    collective = str(parameters["collective"])
    here = f"{point.what} of {point.size:.0f} B"
    if not known.get(collective):
        names = ", ".join(sorted(name for name, ran in known.items() if ran == "nccl"))
        raise InputError(f"{here}: expected a collective of NCCL ({names}), got '{collective}'; "
                         + COLUMNS)
    hosts, ranks = int(parameters["hosts_count"]), int(parameters["ranks_count"])
    counts = placements.parse(str(parameters["placement"]), point.key)
    if ranks != hosts * counts.most:
        raise InputError(f"{here}: expected as many GPUs on each host, got placement "
                         f"{parameters['placement']}")
    options = ((point.scenario or {}).get("job") or {}).get("options") or {}
    return Row(ranks, int(point.size), point.seconds, collective=collective, hosts=hosts,
               gpus_per_thread=int(options.get("gpus_per_thread", 1)))


def log_of(documents: list, only: dict, known: dict) -> Log:
    """`known`: {collective: what the simulator has for NCCL's choice}"""
    points = [point for point in Points.of(asked_for(documents, only), ("replay",)).all
              if not point.parameters.get("algorithm")]
    log = Log([], [point.key for point in points], documents[0].where)
    found = []
    for point in points:
        if point.size > 0 and int(point.parameters["ranks_count"]) > 1:
            found.append(row_of(point, known))
        else:
            log.warnings.append(f"{point.what} of {point.size:.0f} B on "
                                f"{point.parameters['ranks_count']} ranks: omitted")
    for rows in grouped(found, lambda row: row._replace(seconds=0)).values():
        least, most = (end(rows, key=lambda row: row.seconds) for end in (min, max))
        if most.seconds > APART * least.seconds:
            log.warnings.append(f"{least.collective} of {least.size} B took "
                                f"{1e6 * least.seconds:.4g} and {1e6 * most.seconds:.4g} us: the "
                                "smaller time is fitted")
            log.rows.append(least)
        else:
            log.rows.append(rows[0])
    if len({row.size for row in log.rows}) < 2:
        raise InputError(f"{documents[0].path}: expected times of NCCL of at least 2 sizes above "
                         f"0 B, got {len({row.size for row in log.rows})}: `all_reduce_perf -b 8 "
                         "-e 8G -f 2` prints them")
    log.rows.sort(key=lambda row: (row.collective, row.hosts, row.ranks, row.size))
    log.warnings = list(dict.fromkeys(log.warnings))
    return log
