# SPDX-License-Identifier: LGPL-2.1-or-later
"""Questions to the lab, and where its answers lie."""

import pathlib
from typing import NamedTuple

from validation.yaml_files import tables_of

ROOT = pathlib.Path(__file__).resolve().parents[3]
RESULTS = ROOT / "validation" / "results" / "lab"
NAMES = ("recorded", "recorded_again")


class Campaign(NamedTuple):
    """A file of campaigns/. `fit`: the campaign whose probes the model is fitted to, if not its
    own; `probe`: the placement of these. `folder` has the record of each program by its name."""
    name: str
    rate: str
    record: str
    placements: list
    launches: int
    programs: dict  # words by name
    probe: str = ""
    fit: str = ""

    @property
    def folder(self) -> pathlib.Path:
        return RESULTS / self.name

    @property
    def model(self) -> pathlib.Path:
        return RESULTS / (self.fit or self.name) / "fit.yaml"

    @property
    def predicted(self) -> pathlib.Path:
        return self.folder / "predicted.json"

    @property
    def measured(self) -> pathlib.Path:
        return self.folder / "measured.json"


def read(name: str) -> Campaign:
    return Campaign(name, **tables_of(ROOT / "validation" / "campaigns" / name))
