# SPDX-License-Identifier: LGPL-2.1-or-later
"""The project's programs that are Python: started as such, their errors raised."""

from __future__ import annotations

import contextlib
import html
import json
import os
import subprocess
import sys
import tempfile
from typing import TYPE_CHECKING, Any, Iterator, Mapping, NamedTuple, Sequence, Union

from ringscope import _core, _project

if TYPE_CHECKING:
    from ringscope._calibration import Calibration

Path = Union[str, "os.PathLike[str]"]
Document = Union[Path, Mapping[str, Any]]  # a file, or an element of measurements()
BAD_INPUT, STUCK = 1, 3
# Old names of options, which work for one more release.
RENAMED = {"kind": "only", "error": "min_gain", "figures": "figure"}


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


def lesson_of(name: str, text: str | None, laid_over: Sequence[tuple[str, str]]) -> str:
    """The page that `ringscope lesson` writes of a question."""
    if not _project.program():
        raise FileNotFoundError("lesson: expected the program `ringscope` on PATH, got none")
    with tempfile.TemporaryDirectory() as folder:
        page, source = os.path.join(folder, "page.html"), name
        if text is not None:
            source = os.path.join(folder, f"{name}.yaml")
            write(source, text)
        words = [word for key, value in laid_over for word in ("--set", f"{key}={value}")]
        subprocess.run([_project.program(), "lesson", source, "-o", page, "--quiet", *words],
                       env={**os.environ, "RINGSCOPE_DATA": _core.data_directory()}, check=True,
                       stdout=subprocess.DEVNULL)
        return read(page)


def ended(module: str, words: list[str]) -> Ended:
    """The program, run to its end. Raises InputError and DeadlockError with its own words."""
    ran = subprocess.run([sys.executable, "-P", "-B", "-m", module, *words], env=environment(),
                         capture_output=True, text=True, check=False)
    said = ran.stderr.strip()
    if ran.returncode == BAD_INPUT:
        raise _core.InputError(said)
    if ran.returncode == STUCK:
        raise _core.DeadlockError(said)
    if ran.returncode != 0:
        raise RuntimeError(said)
    notes = ("warning:", "note:")
    return Ended(ran.stdout, tuple(line for line in ran.stderr.splitlines()
                                   if any(note in line for note in notes)))


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
    found = {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
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
