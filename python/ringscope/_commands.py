# SPDX-License-Identifier: LGPL-2.1-or-later
"""Commands of the program, and options of it that the compiled module lacks."""

from __future__ import annotations

import json
import os
import tempfile
from typing import Any, Mapping

from ringscope._programs import called, read, words_of, write
from ringscope._questions import PARTS, Question, as_yaml, written


def form_of(command: str, question: Question | None, options: Mapping[str, Any],
            form: str = "") -> tuple[str, str]:
    """Screen of a command, and content of the file of its option `form`. The option `set` has
    values by dotted key."""
    with tempfile.TemporaryDirectory() as folder:
        words, path = [], os.path.join(folder, form)
        if question is not None:
            name, text, _ = written(question, None, "scenario")
            if text is not None:
                name = os.path.join(folder, f"{name}.yaml")
                write(name, text)
            words = [name]
        said = {name: f"{value} s" if name == "time_limit" and isinstance(value, (int, float))
                else as_yaml(value) if name in PARTS and value is not None else value
                for name, value in options.items()}
        said["set"] = [f"{key}={as_yaml(one)}" for key, one in (options.get("set") or {}).items()]
        ran = called(command, [*words, *words_of(said), *([f"--{form}", path] if form else [])])
        return ran.text, read(path) if form else ""


class Told:
    """Answers of the program, as those of _core: csv(), timeline() and trace(), too."""

    def __init__(self, command: str, question: Question | None, options: Mapping[str, Any]):
        self._asked = ("place" if command == "place" else "run", question, of_cases(options))
        screen, text = form_of(command, question, options, "json")
        self.document = self.comparison = self.explanation = lambda: json.loads(text)
        self.screen = self.compare_screen = self.explain_screen = lambda *_: screen

    def __getattr__(self, form: str) -> Any:
        return lambda: form_of(*self._asked, form)[1]


def of_cases(options: Mapping[str, Any]) -> dict[str, Any]:
    """Options without those of `compare` and `explain` alone."""
    return {**options, "against": None, "all": None}


def exactness(skip: bool, fold: bool, tolerance: float) -> dict[str, Any]:
    """Options of the program."""
    return {"no_skip": not skip, "no_fold": not fold, "tolerance": tolerance or None}


def predict(scenario: Question | None = None, **options: Any) -> dict[str, Any]:
    """Times in seconds with 90 % intervals from a calibrated model, as `predict --json` has them.

    options: those of `ringscope predict --help`: model="mycluster.yaml", bytes="1 MiB", `set`."""
    return json.loads(form_of("predict", scenario, options, "json")[1])


def estimate(cluster: Question | None = None, **options: Any) -> Any:
    """NCCL's times by size, or the step of a language model: as `estimate --format json`, in
    seconds and bytes; with another `format` its text.

    options: those of `ringscope estimate --help`: collective="allgather", bytes="1KiB..1GiB"."""
    return in_format("estimate", cluster, options)


def advise(model: Question, cluster: Any = None, **options: Any) -> Any:
    """Ways to split a language model over GPUs, the fastest first: as `advise --format json`, in
    seconds and bytes; with another `format` its text.

    options: those of `ringscope advise --help`: gpus=64, batch=1024, top=5."""
    return in_format("advise", model, {"cluster": cluster, **options})


def in_format(command, question, options):
    text = form_of(command, question, {"format": "json", **options}, "output")[1]
    return json.loads(text) if options.get("format", "json") == "json" else text


def show(question: Question | None = None, **options: Any) -> str:
    """Components, links and routes of a scenario's cluster or a cluster, as the program prints.

    options: those of `ringscope show --help`: nccl=True, **{"from": "host0", "to": "host2"}."""
    return form_of("show", question, options)[0]


def check(question: Question | None = None, **options: Any) -> str:
    """Warnings of likely mistakes in a scenario or a cluster, as the program prints. Raises
    InputError with the errors."""
    return form_of("check", question, options)[0]


def names(what: str = "scenarios") -> list[str]:
    """Built-in names of a kind that `ringscope list` prints, such as "libraries" or "traces".

    Raises InputError with the known kinds for another word."""
    return [one["name"] for one in json.loads(form_of("list", what, {}, "json")[1])[what]]
