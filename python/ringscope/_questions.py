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

FOLDERS = {"scenarios": "scenarios/lessons", "studies": "scenarios/studies",
           "libraries": "scenarios/libraries", "models": "scenarios/models",
           "clusters": "topologies/clusters", "transports": "scenarios/transports",
           "servers": "scenarios/servers"}


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


def asked(question: Question | None, changes: Mapping[str, Any] | None,
          parts: Mapping[str, Any], name: str = "scenario") -> Written:
    """The question as written(), with `parts`, keyword arguments of PARTS, laid over it and
    `changes` over both; without a question the parts are all of it. Raises TypeError for another
    argument."""
    laid_over: dict[str, Any] = {}
    for part, keys in PARTS.items():
        if part in parts:
            value = job_of(parts[part]) if part == "job" else parts[part]
            laid_over.update(dict.fromkeys(keys, value))
    if unknown := [one for one in parts if one not in PARTS]:
        raise TypeError(f"unknown argument '{unknown[0]}' (known: {', '.join(PARTS)})")
    if question is None:
        question = {"question": "How long does this job take?"}
    return written(question, {**laid_over, **(changes or {})}, name)


def written(question: Question, changes: Mapping[str, Any] | None, name: str) -> Written:
    laid_over = [(key, as_yaml(value)) for key, value in (changes or {}).items()]
    if isinstance(question, Mapping):
        return name, as_yaml(dict(question)), laid_over
    text = os.fspath(question)
    return (name, text, laid_over) if "\n" in text else (text, None, laid_over)


def question_of(question: Question, changes: Mapping[str, Any] | None,
                name: str = "scenario") -> _core.Question:
    """`changes`: values by dotted key, as `--set` lays them over the scenario."""
    return _core.Question(*written(question, changes, name))


def names(what: str = "scenarios") -> list[str]:
    """Names of ours: of scenarios, studies, libraries, models or clusters.

    Raises ValueError for another word."""
    if what not in FOLDERS:
        raise ValueError(f"unknown kind '{what}' (known: {', '.join(FOLDERS)})")
    return _core.names(FOLDERS[what])
