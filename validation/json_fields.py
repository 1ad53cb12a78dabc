# SPDX-License-Identifier: LGPL-2.1-or-later
"""JSON, read with checks: every error names the file, the place in it, what was expected, what
stood there.
"""

import json
import math
import sys

from common.programs import InputError

MISSING = object()


def shown(value) -> str:
    text = json.dumps(value)
    return text if len(text) <= 60 else text[:57] + "..."


class Place:
    """A place in a document, as errors name it: "probes.json: measurements[3].median_s"."""

    def __init__(self, path: str, keys: str = ""):
        self.path, self.keys = path, keys

    def at(self, key):
        step = f"[{key}]" if isinstance(key, int) else f".{key}" if self.keys else key
        return Place(self.path, self.keys + step)

    def fail(self, expected: str, value=MISSING):
        got = "nothing: the key is missing" if value is MISSING else shown(value)
        raise InputError(f"{self.path}: {self.keys or 'document'}: expected {expected}, got {got}")


def is_number(value) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


IS = {
    "a text": lambda value: isinstance(value, str),
    "a text that is not empty": lambda value: isinstance(value, str) and bool(value.strip()),
    "a list": lambda value: isinstance(value, list),
    "a list of texts": lambda value: isinstance(value, list) and
                                     all(isinstance(item, str) for item in value),
    "a text or a list of texts": lambda value: isinstance(value, str) or
                                               IS["a list of texts"](value),
    "an object": lambda value: isinstance(value, dict),
    "a count": lambda value: is_number(value) and value >= 0 and float(value).is_integer(),
    "a time in seconds": lambda value: is_number(value) and value >= 0,
    "a positive time in seconds": lambda value: is_number(value) and value > 0,
}


def take(fields: dict, key: str, expected: str, place: Place, default=MISSING):
    """The value of `key`, taken out of `fields`. Without a default the key must be there."""
    value = fields.pop(key, default)
    if value is MISSING:
        place.at(key).fail(expected)
    if value is not default and not IS[expected](value):
        place.at(key).fail(expected, value)
    return value


def load(path: str):
    """Content of the JSON file; "-" is standard input."""
    def refuse(word):
        raise InputError(f"{path}: expected finite numbers, got {word}")

    try:
        with sys.stdin if path == "-" else open(path, encoding="utf-8") as file:
            text = file.read()
        return json.loads(text, parse_constant=refuse)
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from None
    except (UnicodeDecodeError, RecursionError):
        raise InputError(f"{path}: expected a document of measurements, got no JSON") from None
    except json.JSONDecodeError as error:
        what = "an empty file" if not text.strip() else f"no JSON: {error.msg}"
        raise InputError(f"{path}:{error.lineno}:{error.colno}: expected a document of "
                         f"measurements, got {what} (`ringscope import` turns the output of other "
                         "programs into one)") from None
    except ValueError:  # of an integer beyond sys.get_int_max_str_digits()
        raise InputError(f"{path}: expected numbers of at most 1000 digits") from None
