# SPDX-License-Identifier: LGPL-2.1-or-later
"""Logs of benchmarks: judged against a cluster, and rules for libraries."""

from __future__ import annotations

import json
import os
import tempfile
from typing import TYPE_CHECKING, Any, Mapping, Sequence, Union

from ringscope._calibration import Calibration
from ringscope._programs import (Answer, Document, Path, document_files, ended, files, paths_of,
                                 read, words_of, write)

if TYPE_CHECKING:
    import pandas

Cluster = Union[Path, Calibration, Mapping[str, Any]]
"""A built-in name, a file, a Calibration, or a cluster as a dict."""


class Diagnosis(Answer):
    """A benchmark's log against what a cluster is expected to do."""

    @property
    def normal(self) -> bool:
        """Whether every point lies within the error of its expected time."""
        return self._document["normal"]

    @property
    def causes(self) -> list[dict[str, Any]]:
        """Known causes, the likeliest first: `name`, `title`, `probability` from 0 to 1, `look`:
        where to look. Empty where the log is normal."""
        return self._document["causes"]

    def frame(self) -> "pandas.DataFrame":
        """One row per point: `bytes`, `measured_s` and `expected_s` in seconds, their `ratio`,
        `busbw` and `expected_busbw` in bytes per second."""
        import pandas
        return pandas.DataFrame(self._document["points"])


class Tuning(Answer):
    """The best algorithm for each size, and the file that makes a library take it."""

    def __init__(self, text: str, document: dict[str, Any], warnings: tuple[str, ...],
                 rules: str):
        super().__init__(text, document, warnings)
        self.rules = rules
        """Content of the library's file."""

    def write(self, path: Path) -> None:
        """Writes the rules."""
        write(path, self.rules)

    def frame(self) -> "pandas.DataFrame":
        """One row per collective, size in bytes and algorithm: `time_s` in seconds, `gain` as a
        share of the time of the library's own choice, `in_file`: whether the rules ask for it."""
        import pandas
        rows = [{"collective": one["collective"], "bytes": row["bytes"],
                 "name": each["name"], "algorithm": each["algorithm"],
                 "segment": each.get("segment"), "time_s": each["time_s"], "gain": each["gain"],
                 "in_file": row["entry"] is not None and all(
                     each.get(key) == row["entry"].get(key)
                     for key in ("name", "algorithm", "segment", "options"))}
                for one in self._document["collectives"] for row in one["sizes"]
                for each in row["simulated"]]
        return pandas.DataFrame(rows)


class Verdict(Answer):
    """Predictions of measured cases, and how far off they are."""

    def frame(self) -> "pandas.DataFrame":
        """One row per case: what was measured and predicted in seconds, the error as a share."""
        import pandas
        return pandas.json_normalize(self._document["cases"])


def measurements(logs: Path | Sequence[Path], **options: Any) -> dict[str, dict[str, Any]]:
    """Reads benchmark logs (OSU, IMB, nccl-tests and others): a document per kind that they hold,
    "probes", "replay" or "trace", as validation/measurement.md describes it; times in seconds.

    options: those of `ringscope import --help`: nodes=4, ranks_per_node=8, only="probes",
    mpi="Open MPI 4.0".

    Raises InputError with the file and its line."""
    with tempfile.TemporaryDirectory() as folder:
        ended("validation.calibration.import",
              [*paths_of(logs), "--output", os.path.join(folder, "log.json"), *words_of(options)])
        found = [json.loads(read(os.path.join(folder, name)))
                 for name in sorted(os.listdir(folder))]
    return {document["kind"]: document for document in found}


def doctor(logs: Path | Sequence[Path], cluster: Cluster = "", **options: Any) -> Diagnosis:
    """Says whether a benchmark's log (nccl-tests, OSU, IMB) is normal for a cluster, and if not,
    why: every known cause is simulated.

    options: those of `ringscope doctor --help`: library="nccl_h100", nodes=4, ranks_per_node=8,
    placement="8x2", algorithm=["allreduce=ring"], noise="5%", all=True.

    Raises InputError with the file and its line."""
    with files(cluster, "diagnosis.json") as (path, document):
        ran = ended("validation.doctor.program",
                    [*paths_of(logs), *[path] * bool(path), "--json", document, *words_of(options)])
        return Diagnosis(ran.text, json.loads(read(document)), ran.warnings)


def tune(cluster: Cluster = "", placement: Any = "", **options: Any) -> Tuning:
    """Finds the best algorithm for each size, and the file of rules for a library.

    placement: "4-2-2", "16x8", or a dict as in a scenario. options: those of `ringscope tune
    --help`: library="openmpi_tcp", bytes="1KiB..64MiB", collective=["allreduce", "broadcast"],
    min_gain="10%", format="mpich".

    Raises InputError with the known names."""
    with files(cluster, "rules", "tuned.json") as (path, rules, document):
        shown = placement if isinstance(placement, str) else json.dumps(placement)
        words = [*[path] * bool(path), "--placement", shown, "--output", rules, "--json", document,
                 *words_of(options)]
        ran = ended("validation.tune.program", words)
        return Tuning(ran.text, json.loads(read(document)), ran.warnings, read(rules))


def validate(model: Path | Calibration, documents: Document | Sequence[Document],
             **options: Any) -> Verdict:
    """Predicts measured cases (replays, traces, logs of benchmarks, documents of measurements())
    with a fit, and says how far to trust it.

    options: those of `ringscope validate --help`: only=["hosts_count=4"], no_interval=True,
    algorithm=["allreduce=ring"], max_spread="10%".

    Raises InputError with the file and its place."""
    with files(model, "verdict.json") as (path, document), document_files(documents) as paths:
        ran = ended("validation.calibration.validate",
                    [path, *paths, "--json", document, *words_of(options)])
        return Verdict(ran.text, json.loads(read(document)), ran.warnings)
