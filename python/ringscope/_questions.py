# SPDX-License-Identifier: LGPL-2.1-or-later
"""Questions as people write them: a name, a path, YAML, a dict."""

from __future__ import annotations

import json
import os
from typing import Any, Mapping, Union

from ringscope import _core

Question = Union[str, "os.PathLike[str]", Mapping[str, Any]]
"""Built-in name, path of a YAML file, YAML text of several lines, or a dict."""

Written = tuple[str, Union[str, None], list[tuple[str, str]]]
"""Name or path, YAML if it has no file, and what is laid over it."""

PARTS = {"cluster": ("cluster",), "library": ("library",), "model": ("cluster", "library"),
         "placement": ("placement",), "job": ("job",), "bytes": ("job.bytes",)}
"""Keys of a scenario that the keyword arguments of these names set, as the program's options do."""


def plain(value: Any) -> Any:
    """Numbers of numpy and the like as Python's own, for JSON."""
    if hasattr(value, "item"):
        return value.item()
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    raise TypeError(f"a scenario holds texts, numbers, lists and dicts, not {type(value).__name__}")


def as_yaml(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, indent=1, default=plain)


def job_of(words: Any) -> Any:
    """"allreduce/ring:64MiB" as a scenario has it; a dict as it is."""
    if isinstance(words, Mapping):
        return words
    collective, slash, rest = str(words).partition("/")
    algorithm, colon, size = rest.partition(":")
    if not slash:
        raise ValueError(f"job: expected COLLECTIVE/ALGORITHM:BYTES or a dict, got '{words}'")
    job = {"collective": collective, "algorithm": algorithm}
    return {**job, "bytes": size} if colon else job


def laid(parts: Mapping[str, Any], changes: Mapping[str, Any] | None) -> dict[str, Any]:
    """Values by dotted key: of keyword arguments of PARTS, and `changes` over them."""
    found = {key: job_of(parts[part]) if part == "job" else parts[part]
             for part, keys in PARTS.items() if part in parts for key in keys}
    return {**found, **(changes or {})}


def written(question: Question, changes: Mapping[str, Any] | None, name: str) -> Written:
    laid_over = [(key, as_yaml(value)) for key, value in (changes or {}).items()]
    if isinstance(question, Mapping):
        return name, as_yaml(dict(question)), laid_over
    text = os.fspath(question)
    return (name, text, laid_over) if "\n" in text else (text, None, laid_over)


def question_of(question: Question | None, changes: Mapping[str, Any] | None,
                name: str = "scenario") -> _core.Question:
    """`changes`: values by dotted key, as `--set` lays them over the scenario; without a question
    they are all of it."""
    if question is None:
        question = {"question": "How long does this job take?"}
    return _core.Question(*written(question, changes, name))
