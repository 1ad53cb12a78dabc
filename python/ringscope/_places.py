# SPDX-License-Identifier: LGPL-2.1-or-later
"""The search for the best placement."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Mapping

from ringscope import _core
from ringscope._commands import Told, exactness
from ringscope._programs import Answer
from ringscope._progress import Progress, shown
from ringscope._questions import PARTS, Question, as_yaml, laid, question_of

if TYPE_CHECKING:
    import pandas

RULES = {"apart", "budget", "degrade", "exclude", "groups", "jobs", "move", "objective", "order",
         "pin", "random", "seed", "slots", "straggler", "taken", "whole_hosts"}


class Places(Answer):
    """Placements that were simulated, the best first."""

    def __init__(self, places: _core.Places | Told):
        super().__init__(places.screen(5), places.document())
        self._places = places

    @property
    def best(self) -> dict[str, Any]:
        """Its `placement` is what a scenario's `placement` may be; `time_s` in seconds."""
        return self._document["placements"][0]

    @property
    def yours(self) -> dict[str, Any]:
        """The placement of the scenario, and its place among all."""
        return self._document["yours"]

    @property
    def bound_s(self) -> float | None:
        """Seconds that no placement can beat; None where no such bound is known."""
        return self._document["bound_s"]

    def frame(self) -> "pandas.DataFrame":
        """One row per placement, the best first."""
        import pandas
        return pandas.json_normalize(self._document["placements"])

    def csv(self) -> str:
        """All as `place --csv` writes it: one row per placement, times in seconds."""
        return self._places.csv()


def place(question: Question | None = None, *, set: Mapping[str, Any] | None = None,
          rules: Mapping[str, Any] | None = None, case: str = "", time_limit: float = 0.0,
          threads: int = 0, store: str | os.PathLike[str] = "", skip: bool = True,
          fold: bool = True, tolerance: float = 0.0, progress: Progress = None,
          baseline: Any = None, **options: Any) -> Places:
    """Simulates all placements of a scenario, or of a study with `place`, that differ.

    options: those of `ringscope place --help`: order="ring", slots=4, exclude=["host0"], and
    without a question cluster="two_level", library="rdma", job="allreduce/ring:64MiB", ranks=8.
    rules: the same as a dict with the keys of `place` (scenarios/format/place.md). case: which case
    of the scenario. baseline: the placement to compare with (default: the scenario's). time_limit:
    seconds after which the best so far is the answer; 0 is no limit. threads: 0 is one for each
    core.

    Raises InputError where the rules allow no placement."""
    time = options.pop("time", time_limit)  # its old name
    if question is None or options.keys() - RULES - PARTS.keys():
        said = {name: ",".join(value) if isinstance(value, (list, tuple)) else value
                for name, value in {**(rules or {}), **options}.items()}
        return Places(Told("place", question, {
            **exactness(skip, fold, tolerance), "verify": 0, "threads": threads or None,
            "store": store or None, "no_store": not store, "case": case or None,
            "time_limit": time or None, "baseline": baseline, "set": set, **said}))
    changes = {**(set or {}), **({} if baseline is None else {"placement": baseline})}
    asked = question_of(question, laid(options, changes), "place")
    given = {"taken" if name == "exclude" else name: options[name] for name in RULES & {*options}}
    settings = _core.Settings(skip, fold, tolerance, threads, os.fspath(store))
    with shown(progress, "placing") as show:
        return Places(_core.place(asked, as_yaml({**(rules or {}), **given}), case, time,
                                  settings, show))
