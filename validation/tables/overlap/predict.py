# SPDX-License-Identifier: LGPL-2.1-or-later
"""Times overall by the simulator; of the measured it reads a collective's time alone (pure) and
that of the computation.

All times of a library multiplied by k multiply those of its collectives by k: so the library whose
collective takes what was measured beside a computation of T takes k times what the plain one takes
beside T / k.
"""

from validation.calibration.verdict.model import table_of
from validation.calibration.verdict.simulator import Simulator, batch
from validation.tables.overlap.rows import Row
from validation.yaml_files import tables_of

MODES = tables_of(__file__)


def text_of(row: Row) -> tuple:
    """(collective, algorithm, bytes) that stand for what the library does."""
    if row.collective == "allgather":
        return "alltoall", "posted", row.size * row.ranks
    return "allreduce", table_of(row.build, "allreduce", posted=True), row.size


def scenario_of(row: Row, compute_s: float) -> dict:
    collective, algorithm, size = text_of(row)
    a_host = row.ranks // row.hosts
    return {"cluster": {"network": "star", "hosts": row.hosts,
                        "link": {"bandwidth": "10 Gbit/s", "latency": "0 s"},
                        # Half of them for the threads of the mode that gives each its own.
                        "host": {"type": "simple", "cores": 2 * a_host}},
            "placement": f"{a_host}x{row.hosts}",
            "job": {"collective": collective, "algorithm": algorithm, "bytes": f"{size} B",
                    "overlap": f"{compute_s:.15g} s"}}


def times_of(simulator: Simulator, mode: str, rows: list, computing: list) -> list:
    scenarios = [scenario_of(row, seconds) for row, seconds in zip(rows, computing)]
    names = [f"{row.build}, {row.size} B" for row in rows]
    return [case["times_s"][0] for case in batch(simulator, MODES[mode], scenarios, names)]


def predict(simulator: Simulator, rows: list, mode: str) -> list:
    """Seconds overall of each row."""
    alone = times_of(simulator, mode, rows, [0.0] * len(rows))
    factors = [row.pure_s / seconds for row, seconds in zip(rows, alone)]
    beside = times_of(simulator, mode, rows,
                      [row.compute_s / factor for row, factor in zip(rows, factors)])
    return [factor * seconds for factor, seconds in zip(factors, beside)]
