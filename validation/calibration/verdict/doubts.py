# SPDX-License-Identifier: LGPL-2.1-or-later
"""Assumptions of a verdict that nobody has stated: for its report, and for standard error."""

from validation.calibration.verdict import model


def doubts(fitted: model.Model, documents: list, judged: list) -> list:
    """Each in one line."""
    found: dict = {}
    for case in judged:
        choice = fitted.choice_of(case)
        if not choice.known:
            key = (case.parameters["collective"], case.measured.document.path)
            found.setdefault(key, (choice, []))[1].append(case)
    return [guess(*key, choice, listed) for key, (choice, listed) in found.items()] + [
        f"{path}: {in_words(measured)} was emulated in the predicted cases, {in_words(seen)} in "
        "the fitted ones: these are two machines" for path, measured, seen in
        others(fitted, documents)]


def guess(collective: str, path: str, choice: model.Choice, listed: list) -> str:
    return (f"{path}: {len(listed)} of {collective} are predicted as {choice.algorithm} chooses, "
            f"which is a guess: {choice.why}; versions differ, --algorithm "
            f"{collective}=NAME sets it")


def others(fitted: model.Model, documents: list) -> list:
    """(document, what was emulated for it, what for the fit), where they differ."""
    return [(document.path, document.where["emulated"], fitted.emulated) for document in documents
            if document.measurements and document.where["emulated"] != fitted.emulated]


def in_words(emulated: str) -> str:
    return f"'{emulated}'" if emulated else "nothing"
