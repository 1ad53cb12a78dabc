# SPDX-License-Identifier: LGPL-2.1-or-later
"""Questions as people write them: a name, a path, YAML, a dict."""

from __future__ import annotations

import json
import os
from typing import Any, Mapping, Union

from ringscope import _core

Question = Union[str, "os.PathLike[str]", Mapping[str, Any]]
"""Built-in name, path of a YAML file, YAML text of several lines, or a dict."""

FOLDERS = {"scenarios": "scenarios/lessons", "studies": "scenarios/studies",
           "libraries": "scenarios/libraries", "models": "scenarios/models",
           "clusters": "topologies/clusters", "transports": "scenarios/transports"}


def plain(value: Any) -> Any:
    """Numbers of numpy and the like as Python's own, for JSON."""
    if hasattr(value, "item"):
        return value.item()
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    raise TypeError(f"a scenario holds texts, numbers, lists and dicts, not {type(value).__name__}")


def as_yaml(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, indent=1, default=plain)


def question_of(question: Question, changes: Mapping[str, Any] | None,
                name: str = "scenario") -> _core.Question:
    """`changes`: values by dotted key, as `--set` lays them over the scenario."""
    laid_over = [(key, as_yaml(value)) for key, value in (changes or {}).items()]
    if isinstance(question, Mapping):
        return _core.Question(name, as_yaml(dict(question)), laid_over)
    text = os.fspath(question)
    if "\n" in text:
        return _core.Question(name, text, laid_over)
    return _core.Question(text, None, laid_over)


def names(what: str = "scenarios") -> list[str]:
    """Names of ours: of scenarios, studies, libraries, models or clusters.

    Raises ValueError for another word."""
    if what not in FOLDERS:
        raise ValueError(f"unknown kind '{what}' (known: {', '.join(FOLDERS)})")
    return _core.names(FOLDERS[what])
