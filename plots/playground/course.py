#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Reads the lessons of the course. As a program, prints them as JSON, as the page holds them.

lessons.md in this folder describes a lesson's keys.
"""

import json
import pathlib
import re

import yaml

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
SCENARIOS = ROOT / "scenarios"


def load(text):
    """A tree of YAML 1.2, where `on` is a word; PyYAML's 1.1 reads it as true."""
    return with_words(yaml.load(text, getattr(yaml, "CSafeLoader", yaml.SafeLoader)))


def with_words(tree):
    if isinstance(tree, list):
        return [with_words(one) for one in tree]
    return {"on" if key is True else key: with_words(one) for key, one in tree.items()} \
        if isinstance(tree, dict) else tree


def in_yaml(value):
    """A value of `set` as text that the program reads back: "1 MiB", [1, 2], true."""
    return value if isinstance(value, str) else json.dumps(value)


def run_of(run):
    """A run with texts as values: {"case": name, "set": {key: text}, "name": label}."""
    return {**run, "set": {key: in_yaml(value) for key, value in run.get("set", {}).items()}}


def opening_runs(tree):
    """The runs that a lesson opens with: its own, the pair to compare, or the first two cases."""
    names = tree.get("compare") or [case["name"] for case in tree.get("cases", [])[:2]]
    return tree["lesson"].get("runs") or [{"case": name} for name in names] or [{}]


def path_of(stem, own):
    """A lesson's scenario: from a lecturer's own folder, else from ours."""
    for path in (own / f"{stem}.yaml", SCENARIOS / f"lessons/{stem}.yaml"):
        if path.exists():
            return path
    raise SystemExit(f"unknown lesson '{stem}': no {stem}.yaml in {own} or scenarios/lessons")


def lesson_of(stem, number, module, own):
    """A lesson of the page, from its scenario. `number`: its place in the course, "2.1"; `module`:
    its module in course.yaml; `own`: a lecturer's folder."""
    tree = load(path_of(stem, own).read_text(encoding="utf-8"))
    lesson = {"id": stem, "number": number, "module": module["module"],
              "module_goal": module["goal"], "question": tree["question"],
              **tree["lesson"], "runs": [run_of(run) for run in opening_runs(tree)]}
    for part in (*lesson.get("steps", []), lesson.get("exercise", {})):
        for key in {"runs", "solution"} & set(part):
            part[key] = [run_of(run) for run in part[key]]
    return lesson


def lessons(own=HERE):
    """All lessons in the order of the course: ours, or that of a lecturer's own folder."""
    modules = yaml.safe_load((own / "course.yaml").read_text(encoding="utf-8"))
    return [lesson_of(stem, f"{i}.{j}", module, own) for i, module in enumerate(modules, 1)
            for j, stem in enumerate(module["lessons"], 1)]


def without_lesson(text):
    """The text of a scenario without its lesson, which the program does not need."""
    return re.sub(r"^lesson:\n(?:(?: .*)?\n)*", "", text, flags=re.MULTILINE)


if __name__ == "__main__":
    print(json.dumps(lessons()))
