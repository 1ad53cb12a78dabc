# SPDX-License-Identifier: LGPL-2.1-or-later
"""Clusters and libraries as maps, with what they stand on laid under them."""

import copy
import os
import pathlib

import yaml

from validation.programs import InputError

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
FOLDERS = {"cluster": "topologies/clusters", "library": "scenarios/libraries"}
MOST_BASES = 8


def is_path(text: str) -> bool:
    return "/" in text or text.endswith((".yaml", ".yml", ".json"))


def path_of(kind: str, name: str, folder: str = "") -> str:
    """The file of a name of ours, or of a path seen from `folder`."""
    if is_path(name):
        return os.path.join(folder, name)
    root = pathlib.Path(os.environ.get("RINGSCOPE_DATA") or ROOT)
    return str(root / FOLDERS[kind] / f"{name}.yaml")


def load(path: str) -> dict:
    try:
        with open(path, encoding="utf-8") as file:
            found = yaml.safe_load(file)
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from None
    except (UnicodeDecodeError, yaml.YAMLError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        line = f":{mark.line + 1}:{mark.column + 1}" if mark else ""
        raise InputError(f"{path}{line}: expected YAML, got none") from None
    if not isinstance(found, dict):
        raise InputError(f"{path}: expected a map, got {type(found).__name__}")
    return found


def merged(below: dict, above: dict) -> dict:
    """Maps key by key, everything else replaced: as `base` does it."""
    result = dict(below)
    for key, value in above.items():
        old = result.get(key)
        both = isinstance(old, dict) and isinstance(value, dict)
        result[key] = merged(old, value) if both else value
    return copy.deepcopy(result)


def resolved(kind: str, value, folder: str = "", depth: int = 0) -> dict:
    """The whole map of a name, a path or a map on a base; a calibration's part of that kind."""
    if depth > MOST_BASES:
        raise InputError(f"{kind}: expected at most {MOST_BASES} bases, got more")
    if isinstance(value, str):
        path = path_of(kind, value, folder)
        found = load(path)
        if {"cluster", "library"} <= found.keys():
            found = found[kind]
        if not isinstance(found, dict):
            return resolved(kind, found, os.path.dirname(path), depth + 1)
        name = os.path.splitext(os.path.basename(path))[0]
        found = resolved(kind, found, os.path.dirname(path), depth + 1)
        return {"name": name, **found} if kind == "library" else found
    if "base" not in value:
        return copy.deepcopy(value)
    below = resolved(kind, value["base"], folder, depth + 1)
    below.pop("name", None)
    return merged(below, {key: one for key, one in value.items() if key != "base"})
