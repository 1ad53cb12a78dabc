#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Reads the lessons of the course. As a program, prints them as JSON, as the page holds them.

lessons.md in this folder describes a lesson's keys.
"""

import functools
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


def run_of(run):
    """A run with texts as values, which the program reads back: {"case": name, "set": {key: text},
    "name": label}."""
    return {**run, "set": {key: value if isinstance(value, str) else json.dumps(value)
                           for key, value in run.get("set", {}).items()}}


@functools.cache
def described():
    """Rows of the tables "key of MAP, MAP" of the format's pages: (maps, key, description)."""
    text = "\n".join(path.read_text(encoding="utf-8")
                     for path in sorted((SCENARIOS / "format").glob("*.md")))
    return [(set(re.findall(r"\w+", maps)), key, re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", words))
            for maps, rows in re.findall(r"^\| key of (.*?) \|.*((?:\n\|.*)+)", text, re.M)
            for key, words in re.findall(r"^\| `(.*?)` \|.*\| (.*) \|$", rows, re.M)]


def about(path):
    """Descriptions of a dotted key and of those below it in the format's pages: [key, text], of
    the key itself with "" for its name; [] where it is not clear which row is meant.
    """
    *above, name = path.replace(".network.", ".transport.").split(".")
    rows = [row for row in described() if row[1] == name]
    found = next((few for part in reversed(above)
                  if (few := [row for row in rows if part in row[0]])), [])
    if not found and above[:1] == ["cluster"]:  # keys of a family of networks or hosts
        found = rows
    if len(found) != 1:
        return []
    below = [[key, text] for maps, key, text in described() if len(above) == 1 and maps == {name}]
    return [["", found[0][2]], *below]


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
    names = tree.get("compare") or [case["name"] for case in tree.get("cases", [])[:2]]
    lesson = {"id": stem, "number": number, "module": module["module"],
              "module_goal": module["goal"], "question": tree["question"],
              **tree["lesson"], "runs": [run_of(run) for run in tree["lesson"].get("runs") or
                                         [{"case": name} for name in names] or [{}]],
              "about": {key: about(key) for key in tree["lesson"].get("settings", [])}}
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
