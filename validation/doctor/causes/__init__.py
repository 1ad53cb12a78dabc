# SPDX-License-Identifier: LGPL-2.1-or-later
"""The known causes: their texts and plain changes in causes.yaml, other edits in one file each."""

import importlib
import importlib.util
import pathlib

from common.quantities import format_bandwidth, format_bytes, format_cost, format_time
from validation.doctor.causes.cause import Cause
from validation.doctor.causes.changes import Change
from validation.yaml_files import tables_of

FUNCTIONS = ("values", "edit", "words", "seen")  # of a cause's change or file, as Cause has them
FORMS = {"share": lambda value: f"{100 * value:g} %", "bandwidth": format_bandwidth,
         "bytes": format_bytes, "cost": format_cost, "time": format_time,
         "plural": lambda value: "s" * (round(value) > 1)}


class Severity:
    """A value that causes.yaml shows in one of FORMS: "at {:share} of their rate"."""

    def __init__(self, value):
        self.value = value

    def __format__(self, form: str) -> str:
        return FORMS[form](self.value) if form in FORMS else format(self.value, form)


def cause_of(name: str, severity: str = "{}", change=None, **texts) -> Cause:
    """With the functions of its change, or in the file of its name, if there is one."""
    module = f"{__name__}.{name.replace('-', '_')}"
    found = importlib.import_module(module) if importlib.util.find_spec(module) else \
        change and Change(**change)
    own = {key: getattr(found, key) for key in FUNCTIONS if hasattr(found, key)}
    lists = {key: tuple(value) for key, value in texts.items() if isinstance(value, list)}
    words = {"words": lambda value: severity.format(Severity(value))}
    return Cause(name, **words | texts | lists | own)


CAUSES = [cause_of(**one) for one in tables_of(pathlib.Path(__file__).with_name("causes"))]
