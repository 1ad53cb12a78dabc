# SPDX-License-Identifier: LGPL-2.1-or-later
"""YAML of users' files."""

import pathlib

import yaml

from common.programs import InputError

LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # the first takes a tenth of the time


def read_yaml(path, expected: str = "YAML", hint: str = "", loader=yaml.SafeLoader, text=None):
    """Raises InputError, which says what was expected and how to get it, if the file has no YAML or
    cannot be read. `text`: the file's content, which is then not opened."""
    try:
        if text is not None:
            return yaml.load(text, loader)
        with open(path, encoding="utf-8") as file:
            return yaml.load(file, loader)
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from None
    except (ValueError, yaml.YAMLError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        line = f":{mark.line + 1}:{mark.column + 1}" if mark else ""
        raise InputError(f"{path}{line}: expected {expected}, got no YAML{hint}") from None


def tables_of(module) -> dict:
    """Content of the project's own YAML beside a module, of its name; `module`: its __file__."""
    with open(pathlib.Path(module).with_suffix(".yaml"), encoding="utf-8") as file:
        return yaml.load(file, LOADER)
