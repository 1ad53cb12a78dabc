# SPDX-License-Identifier: LGPL-2.1-or-later
"""Pictures by matplotlib, in the one look of the project's plots."""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import tempfile
from typing import TYPE_CHECKING, Any, Iterator

from ringscope import _project
from ringscope._cases import Cases
from ringscope._logs import Verdict
from ringscope._places import Places
from ringscope._programs import write

if TYPE_CHECKING:
    import matplotlib.figure

KINDS = ("timeline", "breakdown", "scaling", "against", "loads", "placements", "errors")


def figure(found: Cases | Places | Verdict, title: str | None = None, *, kind: str | None = None,
           key: str = "", value: str = "time_s", width: str = "") -> "matplotlib.figure.Figure":
    """A picture of what was found, as `ringscope plot` draws it; its axes name their units.

    kind, of cases: "timeline" (the default), what each rank did and when, one panel per case, of
    run(..., record=True); "breakdown", where each rank's time went; "scaling", time and bandwidth
    against size or ranks; "against", `value` of each case ("time_s", "busbw") against `key` of its
    scenario ("job.options.servers"; then it is the default); "loads", how busy each link is, with
    the program. Of place(): "placements", the time of each; of validate(): "errors". width: such as
    "85mm", of a column (default: by the kind).

    Raises ValueError where nothing can be drawn so."""
    kind = kind or kind_of(found, key)
    if kind not in KINDS:
        raise ValueError(f"unknown kind '{kind}' (known: {', '.join(KINDS)})")
    if kind == "against" and not key:
        raise ValueError("against: expected key=, of the scenario, such as 'job.bytes'")
    import matplotlib
    import matplotlib.pyplot  # noqa: F401  (before the plots, which then leave the backend alone)
    plot, style = map(_project.module, (f"plots.{kind}", "common.style"))
    try:
        with matplotlib.rc_context(style.SETTINGS), written(found, kind) as path:
            options = {"key": key, "value": value} if kind == "against" else {}
            options |= {"width": style.inches(width)} if width else {}
            return plot.figure_of(path, title, **options)
    except (style.InputError, argparse.ArgumentTypeError) as error:
        raise ValueError(f"figure: {error}") from None


def kind_of(found: Cases | Places | Verdict, key: str) -> str:
    if isinstance(found, Places):
        return "placements"
    if isinstance(found, Verdict):
        return "errors"
    return "against" if key else "timeline"


@contextlib.contextmanager
def written(found: Any, kind: str) -> Iterator[str]:
    """The file of that kind that the command line would have written."""
    wanted = {"placements": Places, "errors": Verdict}.get(kind, Cases)
    if not isinstance(found, wanted):
        raise ValueError(f"{kind}: expected {wanted.__name__}, got {type(found).__name__}")
    if kind == "timeline":
        found.timeline()  # refuses what was not recorded
    forms = {"timeline": lambda: found._reports.timeline(), "scaling": lambda: found._reports.csv(),
             "loads": lambda: found.lesson(), "placements": lambda: found.csv()}
    text = forms.get(kind, lambda: json.dumps(found.document()))()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "found")
        write(path, text)
        yield path
