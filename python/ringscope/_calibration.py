"""Fits a cluster and a library to what was measured."""

from __future__ import annotations

import os
import tempfile
from dataclasses import dataclass
from typing import Any, Sequence

from ringscope._programs import Path, ended, paths_of, read, words_of


@dataclass(frozen=True)
class Calibration:
    """A fit: YAML that a scenario's `cluster` and `library` may both be, and its report."""

    yaml: str
    """What `ringscope calibrate` writes; times, sizes and rates carry their units."""
    report: str
    """Each parameter with its interval, and the errors of the fit, as the command prints them."""
    warnings: tuple[str, ...]

    def parts(self) -> dict[str, Any]:
        """The YAML read: its `cluster` and its `library`, for run() and the like."""
        import yaml
        found = yaml.safe_load(self.yaml)
        return {part: found[part] for part in ("cluster", "library") if part in found}

    def write(self, path: Path) -> None:
        """Writes the YAML, for the command line."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.yaml)

    def __str__(self) -> str:
        return self.report


def calibrate(documents: Path | Sequence[Path], **options: Any) -> Calibration:
    """Fits to probes and replays: files that `ringscope-mpi` or `ringscope import` wrote, or logs
    of OSU, IMB and nccl-tests.

    options: those of `ringscope calibrate --help`, a list for one that may be given again:
    hosts=8, transport="rdma", bootstrap=200, only=["hosts_count=4"]; nodes=4, ranks_per_node=8 say
    of a log what it does not.

    Raises InputError with the file, the place in it, what was expected and what stood there."""
    with tempfile.TemporaryDirectory() as folder:
        output, report = (os.path.join(folder, name) for name in ("fit.yaml", "fit.txt"))
        ran = ended("validation.calibrate", [*paths_of(documents), "--output", output,
                                             "--report", report, *words_of(options)])
        warned = tuple(line for line in ran.warnings if "warning:" in line)
        return Calibration(read(output), read(report), warned)
