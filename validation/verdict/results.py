"""Kept results, and the table of their errors: which model, which documents, which heading."""

import pathlib
from dataclasses import dataclass, field

import yaml

from measurements import InputError, read
from verdict import accuracy, judge, markdown, model
from verdict.simulator import Simulator

LIST = "results.yaml"


@dataclass
class Result:
    """One line of the list: a fitted model and what it is judged by."""

    title: str
    model: pathlib.Path
    documents: list
    algorithms: dict = field(default_factory=dict)


def listed(folder: pathlib.Path) -> list:
    """What results.yaml says: a list of {title, model, documents, algorithms}, seen from it."""
    path = folder / LIST
    try:
        entries = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise InputError(f"{path}: expected a list of results in YAML, got {error}") from None
    found = []
    for number, entry in enumerate(entries if isinstance(entries, list) else [entries]):
        here = f"{path}: [{number}]"
        if not isinstance(entry, dict) or not {"title", "model", "documents"} <= set(entry):
            raise InputError(f"{here}: expected a map with title, model and documents")
        documents = [match for pattern in entry["documents"]
                     for match in sorted(folder.glob(str(pattern)))]
        if not documents:
            raise InputError(f"{here}.documents: expected at least one file, got none")
        found.append(Result(str(entry["title"]), folder / str(entry["model"]), documents,
                            entry.get("algorithms") or {}))
    return found


def found_in(folder: pathlib.Path) -> list:
    """One Result per folder below: its only YAML file, and all its replays and traces."""
    results = []
    for below in sorted(path for path in folder.iterdir() if path.is_dir()):
        models = sorted(below.glob("*.yaml"))
        documents = sorted(path for path in below.glob("*.json"))
        if len(models) != 1 or not documents:
            raise InputError(f"{below}: expected one fitted model (*.yaml) and documents (*.json), "
                             f"got {len(models)} and {len(documents)}; {folder / LIST} may say "
                             "which belong together")
        results.append(Result(below.name.replace("-", " "), models[0], documents))
    return results


def read_results(folder: pathlib.Path) -> list:
    if not folder.is_dir():
        raise InputError(f"{folder}: expected a folder of results, got none")
    results = listed(folder) if (folder / LIST).exists() else found_in(folder)
    if not results:
        raise InputError(f"{folder}: expected at least one folder with results, got none")
    return results


def verdict_of(result: Result, simulator: Simulator) -> judge.Verdict:
    """Probes among the documents are what the fit saw: they are left out."""
    fitted = model.read(str(result.model))
    fitted.algorithms = result.algorithms
    documents = [document for document in (read(str(path)) for path in result.documents)
                 if document.kind != "probes"]
    return judge.judge(simulator, fitted, documents, accuracy.Limits())


def table(results: list, simulator: Simulator) -> str:
    """Of all results: one table, and below it when and on what they were measured, each machine
    once."""
    lines, machines = list(markdown.HEAD), {}
    for result in results:
        verdict = verdict_of(result, simulator)
        lines += markdown.rows(verdict, result.title)
        machines |= dict.fromkeys(markdown.machines(verdict))
    return "\n".join([*lines, "", "Measured: " + "; ".join(machines) + "."]) + "\n"
