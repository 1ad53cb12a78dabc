"""Pictures by matplotlib, in the one look of the project's plots."""

from __future__ import annotations

import importlib
import os
import tempfile
from typing import TYPE_CHECKING

from ringscope import _project
from ringscope._cases import Cases

if TYPE_CHECKING:
    import matplotlib.figure


def figure(cases: Cases, title: str = "What does each rank do, and when?"
           ) -> "matplotlib.figure.Figure":
    """The timeline of run(..., record=True): one panel per case, one row per rank."""
    import matplotlib
    import matplotlib.pyplot  # noqa: F401  (before the plots, which then leave the backend alone)
    for name in ("validation", "plots"):
        _project.package(name)
    timeline = importlib.import_module("plots.timeline")
    style = importlib.import_module("plots.style")
    cases.timeline()  # refuses what was not recorded
    with tempfile.TemporaryDirectory() as folder, matplotlib.rc_context(style.SETTINGS):
        path = os.path.join(folder, "timeline.csv")
        with open(path, "w", encoding="utf-8") as file:
            file.write(cases._reports.timeline())
        return timeline.draw(timeline.read_timeline(path), title)
