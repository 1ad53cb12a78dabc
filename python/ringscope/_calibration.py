"""Fits a cluster and a library to what was measured."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from typing import Any, Iterable, Union

from ringscope import _core, _project

Path = Union[str, "os.PathLike[str]"]
BAD_INPUT = 1


@dataclass(frozen=True)
class Calibration:
    """A fit: YAML that a scenario's `cluster` and `library` may both be, and its report."""

    yaml: str
    report: str
    warnings: tuple[str, ...]

    def parts(self) -> dict[str, Any]:
        """The YAML read: its `cluster` and its `library`, for run() and the like."""
        import yaml
        read = yaml.safe_load(self.yaml)
        return {part: read[part] for part in ("cluster", "library") if part in read}

    def write(self, path: Path) -> None:
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.yaml)


def calibrate(documents: Path | Iterable[Path], **options: Any) -> Calibration:
    """Fits to probes and replays: files that `ringscope-mpi` or `ringscope import` wrote.

    options: those of `ringscope calibrate --help`, a list for one that may be given again:
    hosts=8, transport="rdma", bootstrap=200, only=["hosts_count=4"].

    Raises InputError with the file, the place in it, what was expected and what stood there."""
    one = isinstance(documents, (str, os.PathLike))
    paths = [os.fspath(path) for path in ([documents] if one else documents)]
    with tempfile.TemporaryDirectory() as folder:
        output, report = (os.path.join(folder, name) for name in ("fit.yaml", "fit.txt"))
        words = [*paths, "--output", output, "--report", report, *words_of(options)]
        ended = subprocess.run(
            [sys.executable, "-P", "-B", "-m", "validation.calibrate", *words],
            env=environment(), capture_output=True, text=True, check=False)
        if ended.returncode == BAD_INPUT:
            raise _core.InputError(ended.stderr.strip())
        if ended.returncode != 0:
            raise RuntimeError(ended.stderr.strip())
        with open(output, encoding="utf-8") as fit, open(report, encoding="utf-8") as page:
            warned = tuple(line for line in ended.stderr.splitlines() if "warning:" in line)
            return Calibration(fit.read(), page.read(), warned)


def words_of(options: dict[str, Any]) -> list[str]:
    words = []
    for name, value in options.items():
        for one in value if isinstance(value, (list, tuple)) else [value]:
            words += [f"--{name.replace('_', '-')}", str(one)]
    return words


def environment() -> dict[str, str]:
    paths = filter(None, (_core.data_directory(), os.environ.get("PYTHONPATH")))
    found = {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
    if _project.program():
        found["RINGSCOPE"] = _project.program()
    return found
