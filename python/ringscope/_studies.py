# SPDX-License-Identifier: LGPL-2.1-or-later
"""Sweeps: many points of a study as a table."""

from __future__ import annotations

import contextlib
import os
from typing import TYPE_CHECKING, Any, Mapping

from ringscope import _core, _project
from ringscope._commands import Told, exactness
from ringscope._progress import Progress, shown
from ringscope._questions import PARTS, Question, laid, question_of

if TYPE_CHECKING:
    import pandas

UNITS = {"bytes": "B", "time": "s", "bandwidth": "B/s", "cost": "s/B"}  # of columns with numbers
PARTS_PER_THREAD = 4  # enough for the last ones to end together, few enough to be worth a message


def sweep(study: Question, *, set: Mapping[str, Any] | None = None, threads: int = 0,
          store: str | os.PathLike[str] = "", skip: bool = True, fold: bool = True,
          tolerance: float = 0.0, client: Any = None, progress: Progress = None, **options: Any
          ) -> "pandas.DataFrame":
    """Simulates every point of a study: a scenario and the keys that vary (scenarios/format.md).

    threads: 0 is one for each core. store: an SQLite file that keeps what was simulated; "" keeps
    nothing. client: a dask.distributed.Client whose workers simulate the points, each with one
    thread a task; points of a worker that dies are simulated by another one. options: those of
    `ringscope sweep --help`, without a client: objective="busbw", exact=True, bytes="1 MiB".

    One row per point: the case, each key that varies, each metric of the study (seconds, bytes,
    bytes per second), `held_up_by`, and `error` where a run cannot end. Keys with texts are
    ordered categories; of quantities the next column has the numbers, with its unit in its name,
    such as "job.bytes (B)". Raises InputError."""
    require_pandas()
    more = options.keys() - PARTS.keys()
    if client is not None and (threads or store or more):
        raise ValueError(f"{', '.join(['threads', 'store', *more])} are this process's: its "
                         "workers have none")
    if more:
        return frame_of(Told("sweep", study, {
            **exactness(skip, fold, tolerance), "verify": 0, "threads": threads or None,
            "store": store or None, "no_store": not store, "set": set, **options}).document())
    set = laid(options, set)
    read = _core.Study(question_of(study, set, "study"))
    with shown(progress, "simulating") as show:
        if client is None:
            settings = _core.Settings(skip, fold, tolerance, threads, os.fspath(store))
            outcomes = read.evaluate(list(range(len(read))), settings, show)
        else:
            spread = Spread(study, set, skip, fold, tolerance)
            outcomes = spread.outcomes(client, len(read), show)
    return frame_of(read.document(outcomes))


def require_pandas():
    """Asked before anything is simulated: without pandas the outcomes would be lost."""
    try:
        import pandas  # noqa: F401
    except ImportError as error:
        raise ImportError("sweep: its table is one of pandas, which this Python cannot import: "
                          "apt install python3-pandas, or pip install pandas") from error


def frame_of(document: dict[str, Any]) -> "pandas.DataFrame":
    import pandas
    rows = [{"case": row["case"], **{key: row["set"].get(key) for key in document["keys"]},
             **row["metrics"], "held_up_by": row["held_up_by"], "error": row["error"]}
            for row in document["rows"]]
    frame = pandas.DataFrame(rows)
    for key in document["keys"]:  # texts in the order of the study: 2 MiB before 16 MiB
        values = frame[key].dropna()
        kinds = {type(value) for value in values}
        if str in kinds and not kinds & {dict, list}:
            frame[key] = pandas.Categorical(frame[key], values.unique(), ordered=True)
            unit, numbers = numbers_of(list(values.unique()))
            if unit:
                frame.insert(frame.columns.get_loc(key) + 1, f"{key} ({unit})",
                             frame[key].map(numbers).astype(float))
    frame.attrs.update({key: document[key] for key in ("study", "question", "by")})
    return frame


def numbers_of(texts: list[str]) -> tuple[str, dict[str, float]]:
    """(unit, {text: its number in that unit}) of quantities of one kind; ("", {}) of others."""
    quantities = _project.module("common.quantities")
    for kind, unit in UNITS.items():
        with contextlib.suppress(quantities.InputError):
            return unit, {text: quantities.parse_quantity(text, kind) for text in texts}
    return "", {}


class Spread:
    """A study that the workers of a Dask cluster share; it travels as the question, which each of
    them reads."""

    def __init__(self, study, changes, skip, fold, tolerance):
        self._question = (study, changes)
        self._settings = (skip, fold, tolerance, 1, "")

    def part(self, rows: list[int]) -> list[_core.Outcome]:
        study = _core.Study(question_of(*self._question, "study"))
        return study.evaluate(rows, _core.Settings(*self._settings), None)

    def outcomes(self, client, count, show):
        from distributed import as_completed
        threads = max(1, sum(client.nthreads().values()))
        parts = min(count, PARTS_PER_THREAD * threads)
        # Dealt out, as neighbours in a study are of like size.
        rows = [list(range(first, count, parts)) for first in range(parts)]
        futures = client.map(self.part, rows, pure=False)
        places = {future: index for index, future in enumerate(futures)}
        outcomes = [None] * count
        try:
            for done, future in enumerate(as_completed(futures), 1):
                for row, outcome in zip(rows[places[future]], future.result()):
                    outcomes[row] = outcome
                if show:
                    show(done / parts)
        finally:
            client.cancel(futures)
        return outcomes
