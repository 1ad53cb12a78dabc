# SPDX-License-Identifier: LGPL-2.1-or-later
"""Objects of JSON in a text: a file of one, one on each line, or one among other lines."""

import json
import re

from validation.calibration.imports.source import Source

BEGIN = re.compile(r"^[ \t]*\{", re.MULTILINE)
DECODER = json.JSONDecoder()


def objects(source: Source, key: str) -> list:
    """(line, object) of those with that key. Raises InputError where there is none, at the fault
    of the first that is broken."""
    text, end, found, fault = "\n".join(source.lines), 0, [], None
    for begin in BEGIN.finditer(text):
        if begin.end() <= end:
            continue
        try:
            value, end = DECODER.raw_decode(text, begin.end() - 1)
        except json.JSONDecodeError as error:
            fault = fault or error
            continue
        line = text.count("\n", 0, begin.end()) + 1
        if key in value:
            source.used.update(range(line, text.count("\n", 0, end) + 2))
            found.append((line, value))
    if fault and not found:
        source.fail(fault.lineno, "JSON", fault.msg, fault.colno)
    return found or source.fail(1, f'a JSON object with "{key}"', "none")


def read(source: Source, key: str, form: str, add):
    """Calls add(line, object) of each such object; `form` names what its fields should be."""
    for line, value in objects(source, key):
        try:
            add(line, value)
        except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
            source.fail(line, form, f"{type(error).__name__}: {error}")
