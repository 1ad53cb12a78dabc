# SPDX-License-Identifier: LGPL-2.1-or-later
"""The project's programs that are Python: started as such, their errors raised."""

from __future__ import annotations

import contextlib
import html
import json
import os
import re
import subprocess
import sys
import tempfile
from typing import TYPE_CHECKING, Any, Iterator, Mapping, NamedTuple, Sequence, Union

from ringscope import _core, _project

if TYPE_CHECKING:
    from ringscope._calibration import Calibration

Path = Union[str, "os.PathLike[str]"]
Document = Union[Path, Mapping[str, Any]]  # a file, or an element of measurements()
ERRORS = {1: _core.InputError, 3: _core.DeadlockError}
# Old names of options, which work for one more release.
RENAMED = {"kind": "only", "error": "min_gain", "figures": "figure", "sizes": "bytes"}


class Ended(NamedTuple):
    """Output of a program, and its warnings."""

    text: str
    warnings: tuple[str, ...]


class Answer:
    """Answer of a program: in words when printed, all of it as document()."""

    def __init__(self, text: str, document: dict[str, Any], warnings: tuple[str, ...] = ()):
        self._text = text
        self._document = document
        self.warnings = warnings

    def __str__(self) -> str:
        return self._text

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(str(self))}</pre>"

    def document(self) -> dict[str, Any]:
        """All as `--json` writes it: times in seconds, sizes in bytes, rates in bytes a second."""
        return self._document


class Page(str):
    """An HTML page, which a notebook shows in a frame."""

    def _repr_html_(self) -> str:
        return (f'<iframe srcdoc="{html.escape(self)}" style="width: 100%; height: 45em; '
                'border: 0"></iframe>')


def table_in_html(rows: Sequence[Sequence[str]]) -> str:
    """The first row is the header."""
    lines = [f"<{cell}>" + f"</{cell}><{cell}>".join(map(html.escape, row)) + f"</{cell}>"
             for row, cell in zip(rows, ["th", *["td"] * len(rows)])]
    return f"<table><tr>{'</tr><tr>'.join(lines)}</tr></table>"


def ended(module: str, words: list[str]) -> Ended:
    """A program in Python, run to its end by this interpreter."""
    return finished([sys.executable, "-P", "-B", "-m", module, *words])


def called(command: str, words: list[str]) -> Ended:
    """A command of the program `ringscope`, run to its end."""
    if not _project.program():
        raise FileNotFoundError(f"{command}: expected the program `ringscope` on PATH, got none")
    return finished([_project.program(), command, "--quiet", *words])


def finished(words: list[str]) -> Ended:
    """Raises InputError and DeadlockError with the program's own words."""
    ran = subprocess.run(words, env=environment(), capture_output=True, text=True, check=False)
    said = ran.stderr.strip()
    if lacking := re.search(r"^ModuleNotFoundError: No module named '(\w+)", said, re.M):
        raise ImportError(f"{words[0]} cannot import {lacking[1]}: apt install "
                          f"python3-{lacking[1]}, or pip install {lacking[1]}")
    if ran.returncode != 0:
        raise ERRORS.get(ran.returncode, RuntimeError)(said)
    return Ended(ran.stdout, tuple(line for line in ran.stderr.splitlines()
                                   if any(note in line for note in ("warning:", "note:"))))


def words_of(options: Mapping[str, Any]) -> list[str]:
    """Options of the command line: a list for one that may be given again, True for one that is a
    word alone, a dict or a list in a placement as JSON."""
    words = []
    for name, value in options.items():
        option = f"--{RENAMED.get(name, name).replace('_', '-')}"
        if value is True:
            words.append(option)
        elif value is not None and value is not False:
            for one in value if isinstance(value, (list, tuple)) else [value]:
                words += [option, json.dumps(one) if isinstance(one, dict) else str(one)]
    return words


def paths_of(paths: Path | list[Path] | tuple[Path, ...]) -> list[str]:
    alone = isinstance(paths, (str, os.PathLike))
    return [os.fspath(path) for path in ([paths] if alone else paths)]


@contextlib.contextmanager
def document_files(documents: Document | Sequence[Document]) -> Iterator[list[str]]:
    """Paths of documents; those given as dicts are written to files that vanish."""
    alone = isinstance(documents, (str, os.PathLike, Mapping))
    with tempfile.TemporaryDirectory() as folder:
        paths = []
        for number, one in enumerate([documents] if alone else documents):
            path = one
            if isinstance(one, Mapping):
                path = os.path.join(folder, f"measurements-{number}.json")
                write(path, json.dumps(dict(one)))
            paths.append(os.fspath(path))
        yield paths


def environment() -> dict[str, str]:
    paths = filter(None, (_core.data_directory(), os.environ.get("PYTHONPATH")))
    found = {**os.environ, "PYTHONPATH": os.pathsep.join(paths),
             "RINGSCOPE_DATA": _core.data_directory()}
    if _project.program():
        found["RINGSCOPE"] = _project.program()
    return found


@contextlib.contextmanager
def files(cluster: "Path | Calibration | Mapping[str, Any]", *names: str) -> Iterator[list[str]]:
    """A cluster as programs take it, and paths of these names that vanish: its name or its path, a
    fit, or a dict, which are written to a file."""
    with tempfile.TemporaryDirectory() as folder:
        if isinstance(cluster, (str, os.PathLike)):
            path = os.fspath(cluster)
        else:
            path = os.path.join(folder, "cluster.yaml")
            write(path, json.dumps(dict(cluster)) if isinstance(cluster, Mapping) else cluster.yaml)
        yield [path, *(os.path.join(folder, name) for name in names)]


def read(path: str) -> str:
    with open(path, encoding="utf-8") as file:
        return file.read()


def write(path: Path, text: str) -> None:
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
