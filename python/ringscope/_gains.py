# SPDX-License-Identifier: LGPL-2.1-or-later
"""Gains from twice as much of one thing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Mapping

from ringscope import _core
from ringscope._commands import Told
from ringscope._programs import Answer
from ringscope._progress import Progress, shown
from ringscope._questions import PARTS, Question, laid, question_of

if TYPE_CHECKING:
    import pandas


class Gains(Answer):
    """The things that the critical path spends most time on, each twice as fast; the largest gain
    first."""

    def __init__(self, gains: _core.Gains | Told):
        super().__init__(gains.screen(), gains.document())

    def frame(self) -> "pandas.DataFrame":
        """One row per case and thing: `what`, and with it `time_s` and `gain_s` in seconds."""
        import pandas
        return pandas.DataFrame([{"case": case["name"], **gain}
                                 for case in self._document["cases"] for gain in case["gains"]])


def what_if(scenario: Question | None = None, *, set: Mapping[str, Any] | None = None, top: int = 5,
            progress: Progress = None, **options: Any) -> Gains:
    """Simulates each case again with twice the capacity of one link, core, memory or lock, or half
    of all latencies or overheads: of `top` things, by their time on the critical path.

    options: as of run(): bytes="1 MiB", case="4-3-1".
    Raises InputError, and DeadlockError where a case cannot go on."""
    if top < 1:
        raise ValueError(f"top: expected 1 or more, got {top}")
    if options.keys() - PARTS.keys():
        return Gains(Told("what-if", scenario, {"top": top, "set": set, **options}))
    with shown(progress, "simulating") as show:
        return Gains(_core.what_if(question_of(scenario, laid(options, set)), top, show))
