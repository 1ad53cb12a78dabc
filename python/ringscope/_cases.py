# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs of scenarios, and what is asked of them."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any, Mapping

from ringscope import _core, _project
from ringscope._commands import Told, exactness, form_of, of_cases
from ringscope._programs import Page, table_in_html
from ringscope._progress import Progress, shown
from ringscope._questions import PARTS, Question, laid, question_of

if TYPE_CHECKING:
    import pandas

MOST_CAUSES = 3


class Report(dict[str, Any]):
    """One case as `run --json` has it (scenarios/schema.md); keys are attributes, too."""

    def __getattr__(self, key: str) -> Any:
        if key.startswith("_"):
            raise AttributeError(key)
        try:
            return self[key]
        except KeyError:
            raise AttributeError(f"a report has no '{key}' (known: {', '.join(self)})") from None

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self]

    @property
    def name(self) -> str:
        """Name of the case; of several sizes or ranks it says which."""
        return self["name"]

    @property
    def time_s(self) -> float:
        """Seconds until the last rank has ended; of several repetitions the median."""
        return self["time_s"]

    @property
    def interval(self) -> tuple[float, float] | None:
        """Seconds between which 90 % of measured times should be, by the library's `spread`; None
        where it has none for such a job."""
        likely = self.get("likely")
        return likely and (likely["low_s"], likely["high_s"])

    def __repr__(self) -> str:
        return f"<Report {self.name}: {self.time_s:.6g} s>"


class Cases(list[Report]):
    """The cases of a scenario, in its order: run, compared or explained."""

    def __init__(self, reports: _core.Reports | Told, *asked: Any, screen: Any = None,
                 document: Any = None):
        super().__init__(map(Report, reports.document()["cases"]))
        self._reports, self._asked = reports, asked
        self._screen, self._document = screen or reports.screen, document or reports.document

    def __repr__(self) -> str:
        return f"<{len(self)} cases: {', '.join(case.name for case in self[:3])}" \
               f"{', ...' if len(self) > 3 else ''}>"

    def __str__(self) -> str:
        return self._screen()

    def _repr_html_(self) -> str:
        """Time of each case, and the causes that its critical path spends most time on."""
        format_time = _project.module("common.quantities").format_time
        return table_in_html([("case", "time", "critical path"), *(
            (case.name, format_time(case.time_s), causes_of(case)) for case in self)])

    def lesson(self) -> Page:
        """The interactive page of `ringscope lesson` of these cases: a text, shown in a frame where
        it ends a cell of a notebook. Raises FileNotFoundError without the program."""
        return Page(form_of("lesson", *self._asked, "output")[1])

    @property
    def only(self) -> Report:
        """The one case. Raises ValueError where there are several."""
        if len(self) != 1:
            raise ValueError(f"there are {len(self)} cases: {', '.join(c.name for c in self)}")
        return self[0]

    def named(self, name: str) -> Report:
        """The case of that name, or whose name ends with these words. Raises KeyError."""
        for case in self:
            if case.name == name or case.name.endswith(" " + name):
                return case
        raise KeyError(f"no case '{name}' (known: {', '.join(case.name for case in self)})")

    def frame(self) -> "pandas.DataFrame":
        """One row per case, with the columns of `run --csv`."""
        return table_of(self._reports.csv())

    def timeline(self) -> "pandas.DataFrame":
        """Activities of each rank, as `run --timeline`; of run(..., record=True)."""
        frame = table_of(self._reports.timeline())
        if frame.empty:
            raise ValueError("nothing was recorded: run(..., record=True)")
        return frame

    def trace(self) -> str:
        """For Perfetto or Chrome; of run(..., record=True)."""
        return self._reports.trace()

    def document(self) -> dict[str, Any]:
        """All as `run --json`, `compare --json` or `explain --json` writes it."""
        return self._document()


def table_of(csv: str) -> "pandas.DataFrame":
    import pandas
    return pandas.read_csv(io.StringIO(csv))


def run(scenario: Question | None = None, *, set: Mapping[str, Any] | None = None,
        kernel: str = "fluid", skip: bool = True, fold: bool = True, tolerance: float = 0.0,
        record: bool = False, progress: Progress = None, **options: Any) -> Cases:
    """Simulates all cases of a scenario, or the job that options describe.

    options: those of `ringscope run --help`: run(cluster="two_level", library="rdma",
    placement="1x8", job="allreduce/ring:64MiB"). With others than cluster, library, model,
    placement, bytes and job (exact=True, case="4-3-1", time_limit=60 in seconds) the program runs.
    set: values by dotted key laid over it, {"job.bytes": "64 MiB", "placement": "4-3-1"}.
    kernel: "fluid", or "reference", which is slow and plain.
    skip, fold: whether steps that repeat, and ranks that are alike, are simulated once.
    tolerance: transfers that begin or end within that share of their own time do so together.
    record: keep what each rank did when, for timeline(), trace() and figure().

    Raises InputError and DeadlockError."""
    return Cases(*reports_of("run", scenario, set=set, kernel=kernel, skip=skip, fold=fold,
                             tolerance=tolerance, record=record, progress=progress, **options))


def compare(scenario: Question | None = None, **options: Any) -> Cases:
    """As run(), which has the options, and `against`, a case; printed, it says by how much each
    case differs from the first, and where. In document()["differences"] `open_order` marks those
    whose intervals do not tell which is faster."""
    reports, *asked = reports_of("compare", scenario, **options)
    return Cases(reports, *asked, screen=reports.compare_screen, document=reports.comparison)


def explain(scenario: Question | None = None, **options: Any) -> Cases:
    """As run(), which has the options; printed, it says in words why each case takes so long, with
    its critical path."""
    reports, *asked = reports_of("explain", scenario, **{"record": True, **options})
    return Cases(reports, *asked, screen=lambda: reports.explain_screen(False),
                 document=reports.explanation)


def reports_of(command, scenario, *, set=None, kernel="fluid", skip=True, fold=True, tolerance=0.0,
               record=False, progress=None, **options):
    """Arguments of Cases."""
    if options.keys() - PARTS.keys():
        options = {**exactness(skip, fold, tolerance), "kernel": kernel, "set": set, **options}
        return Told(command, scenario, options), scenario, of_cases(options)
    question = question_of(scenario, laid(options, set))
    with shown(progress, "simulating") as show:
        return _core.run(question, kernel, skip, fold, tolerance, record,
                         show), scenario, {"set": set, **options}


def causes_of(case: Report) -> str:
    """"copy 99 %, reduce 1 %": the causes that take most of the critical path."""
    seconds: dict[str, float] = {}
    for part in case["critical_path"]:
        seconds[part["cause"]] = seconds.get(part["cause"], 0.0) + part["seconds"]
    most = sorted(seconds, key=lambda cause: -seconds[cause])[:MOST_CAUSES]
    whole = sum(seconds.values()) or 1.0
    return ", ".join(f"{cause} {seconds[cause] / whole:.0%}".replace("%", " %") for cause in most)
