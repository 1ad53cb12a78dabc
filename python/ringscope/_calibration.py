# SPDX-License-Identifier: LGPL-2.1-or-later
"""Fits a cluster and a library to what was measured."""

from __future__ import annotations

import os
import tempfile
import warnings
from dataclasses import dataclass
from typing import Any, Mapping, Sequence

from ringscope._commands import predict
from ringscope._programs import Document, Path, document_files, ended, files, read, words_of, write


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
        found = self._read()
        return {part: found[part] for part in ("cluster", "library") if part in found}

    def others(self) -> list[dict[str, Any]]:
        """Other models that the measurements allow as well, each as parts(). None of a fit of
        probes of GPUs or of a trace, nor with `bootstrap` below 2."""
        parts = self.parts()
        return [other_parts(parts, drawn) for drawn in self._calibration().get("draws") or []]

    def interval(self, scenario: Mapping[str, Any], *, set: Mapping[str, Any] | None = None
                 ) -> tuple[float, float]:
        """Ends in seconds around the prediction of one case that need not have been measured, as
        `ringscope predict` prints them. 90 % of all cases lie inside, with 19 of others().
        `scenario`: a dict without `cluster` and `library`, which are the fit's.

        Warns (UserWarning) as the program does, such as where the fit is far off its own probes of
        a part that matters here. Raises InputError, ValueError without others()."""
        if len(self.others()) < 2:
            raise ValueError("interval: this fit has no alternative fits: see Calibration.others()")
        with files(self) as (path,):
            (case,) = predict(scenario, model=path, set=set)["cases"]
        for words in case["warnings"]:
            warnings.warn(words, stacklevel=2)
        return case["low_s"], case["high_s"]

    def _read(self) -> dict[str, Any]:
        import yaml
        return yaml.safe_load(self.yaml)

    def _calibration(self) -> dict[str, Any]:
        return self._read().get("calibration") or {}

    def write(self, path: Path) -> None:
        """Writes the YAML, for the command line."""
        write(path, self.yaml)

    def __str__(self) -> str:
        return self.report


def other_parts(parts: dict[str, Any], drawn: dict[str, Any]) -> dict[str, Any]:
    """`drawn`: what differs, {"library": ..., "bandwidth": ...}; where the link's rate is nominal
    the library's goodput differs in place of it."""
    cluster, library = dict(parts["cluster"]), {**parts["library"], **drawn.get("library", {})}
    nominal = "goodput" in (parts["library"].get("network") or {})
    if "bandwidth" in drawn and not nominal and isinstance(cluster.get("link"), dict):
        cluster["link"] = {**cluster["link"], "bandwidth": drawn["bandwidth"]}
    return {"cluster": cluster, "library": library}


def calibrate(documents: Document | Sequence[Document], **options: Any) -> Calibration:
    """Fits to probes and replays: files that `ringscope-mpi` or `ringscope import` wrote, logs of
    OSU, IMB and nccl-tests, or documents of measurements().

    options: those of `ringscope calibrate --help`, a list for one that may be given again:
    hosts=8, transport="rdma", bootstrap=200, only=["hosts_count=4"]; nodes=4, ranks_per_node=8 say
    of a log what it does not.

    Raises InputError with the file, the place in it, what was expected and what stood there."""
    with tempfile.TemporaryDirectory() as folder, document_files(documents) as paths:
        output, report = (os.path.join(folder, name) for name in ("fit.yaml", "fit.txt"))
        ran = ended("validation.calibration.calibrate",
                    [*paths, "--output", output, "--report", report, *words_of(options)])
        warned = tuple(line for line in ran.warnings if "warning:" in line)
        return Calibration(read(output), read(report), warned)
