#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Do the lessons of the course have their form, do all their runs run, and do their numbers hold?

Usage: python3 -m plots.course_test BUILD [LESSON...] [--lessons=FOLDER], where BUILD holds the
native program, and FOLDER a lecturer's own course.
"""

import ast
import functools
import itertools
import json
import math
import operator
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import jsonschema
import yaml

from common.quantities import parse_quantity
from plots.playground import course

RUN = {"type": "object", "additionalProperties": False, "properties": {
    "case": {"type": "string"}, "name": {"type": "string"}, "set": {"type": "object"}}}
TEXT = {"type": "string", "minLength": 3, "pattern": "^(?![T]ODO)"}
MEASURED = {"measure": TEXT, "scale": {"type": "number"}, "unit": {"type": "string"},
            "within": {"type": "number", "exclusiveMinimum": 0, "maximum": 0.25}}


def form(required, **keys):
    return {"type": "object", "additionalProperties": False, "required": required.split(),
            "properties": keys}


def list_of(item, least=1, most=9):
    return {"type": "array", "items": item, "minItems": least, "maxItems": most}


FORM = form(
    "title minutes needs goal setup predict because steps exercise further",
    id={}, number={}, module={}, module_goal={}, question={}, about={}, title=TEXT, goal=TEXT,
    setup=TEXT, because=TEXT,
    minutes={"type": "integer", "minimum": 3, "maximum": 30}, needs=list_of(TEXT, 0),
    runs=list_of(RUN, 1, 2), settings=list_of(TEXT, 0, 3), further=list_of(TEXT),
    predict=form("ask", ask=TEXT, faster={"const": True}, order=list_of(TEXT, 3, 5),
                 number=form("measure unit within", **MEASURED),
                 reason=list_of(form("say", say=TEXT, right={"const": True}, why=TEXT), 2, 5)),
    steps=list_of(form("say", say=TEXT, runs=list_of(RUN, 1, 2)), 3, 5),
    formula=form("text terms where measure within", text=TEXT, measure=TEXT,
                 terms={"type": "object"}, within={"type": "number"}, run={"enum": [0, 1]},
                 where={"type": "object", "additionalProperties": form(
                     "is what", what=TEXT, key=TEXT, **{"is": {"type": ["string", "number"]}})}),
    sweep=form("key values", key=TEXT, values=list_of(TEXT, 3)),
    exercise=form("text hint", text=TEXT, hint=TEXT, **MEASURED, runs=list_of(RUN, 1, 2),
                  ratio=list_of({"type": "number"}, 2, 2), ends=TEXT, keep={"type": "object"},
                  between=list_of({"type": "number"}, 2, 2), solution=list_of(RUN, 1, 2)))
TERMS = {"latency", "transfer", "overhead", "copy", "reduction", "wait", "compute", "other"}
# A result of a run: a decimal, or a number with the unit of a result.
RESULT = re.compile(r"\d+\.\d+|\b\d+ ?(?:x\b|%|times\b)")
OPERATORS = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul,
             ast.Div: operator.truediv}
FUNCTIONS = {"log2": math.log2, "ceil": math.ceil, "floor": math.floor, "max": max, "min": min,
             "sqrt": math.sqrt}


def value_of(text, names):
    """An arithmetic expression of a formula, as formula.js computes it."""
    def of(node):
        if isinstance(node, ast.Constant):
            return node.value
        if isinstance(node, ast.Name):
            return names[node.id]
        if isinstance(node, ast.UnaryOp):
            return -of(node.operand)
        if isinstance(node, ast.Call):
            return FUNCTIONS[node.func.id](*map(of, node.args))
        return OPERATORS[type(node.op)](of(node.left), of(node.right))
    return of(ast.parse(text, mode="eval").body)


def quantity(value):
    return value if isinstance(value, (int, float)) else parse_quantity(value)


class Native:
    """Runs of a lesson on the native program, all in one process."""

    def __init__(self, build, lesson, wanted):
        text = course.path_of(lesson["id"], Course.folder).read_text(encoding="utf-8")
        self.tree = course.load(course.without_lesson(text))
        self.sets = {case["name"]: case.get("set", {}) for case in self.tree.pop("cases", [])}
        self.tree.pop("compare", None)
        keys = list(dict.fromkeys(map(self.key, wanted)))
        self.tree["cases"] = [{"name": f"run {i}", "set": json.loads(key)}
                              for i, key in enumerate(keys)]
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "lesson.yaml")
            path.write_text(yaml.safe_dump(self.tree, sort_keys=False), encoding="utf-8")
            done = subprocess.run([str(build / "ringscope"), "run", str(path), "--json", "-"],
                                  capture_output=True, text=True, cwd=course.ROOT, timeout=250,
                                  check=False)
        if done.returncode not in (0, 3):
            raise AssertionError(done.stderr)
        answer = json.loads(done.stdout)
        reports = sorted(answer["cases"] + answer.get("stuck", []),
                         key=lambda case: int(case["name"].rpartition(" ")[2]))
        self.reports = dict(zip(keys, reports, strict=True))

    def key(self, run):
        """All that a run sets, of a list of sizes the first."""
        changes = dict(self.sets[run["case"]]) if run.get("case") else dict(
            next(iter(self.sets.values()), {}))
        changes |= {key: course.load(text) for key, text in run.get("set", {}).items()}
        sizes = self.tree["job"].get("bytes")
        if isinstance(sizes, list):
            changes.setdefault("job.bytes", sizes[0])
        return json.dumps(changes)

    def report(self, run):
        return self.reports[self.key(run)]


def laid_over(run, more):
    return {**run, **more, "set": {**run["set"], **more.get("set", {})}}


def all_runs(lesson):
    exercise, order = lesson["exercise"], lesson["predict"].get("order", [])
    solved = [laid_over(*pair) for pair in zip(lesson["runs"], exercise.get("solution", []))]
    return [*lesson["runs"], *({"case": name} for name in order), *exercise.get("runs", []),
            *solved, *(run for step in lesson["steps"] for run in step.get("runs", []))]


def for_each(check):
    """A test of every lesson."""
    @functools.wraps(check)
    def test(self):
        for lesson in self.lessons:
            with self.subTest(lesson["id"]):
                check(self, lesson)
    return test


class Course(unittest.TestCase):
    build = None
    folder = course.HERE
    chosen = []
    ran = {}

    @classmethod
    def setUpClass(cls):
        cls.lessons = [one for one in course.lessons(cls.folder)
                       if not cls.chosen or one["id"] in cls.chosen]

    def native(self, lesson):
        """Its runs, made once."""
        if lesson["id"] not in self.ran:
            self.ran[lesson["id"]] = Native(self.build, lesson, all_runs(lesson))
        return self.ran[lesson["id"]]

    def values(self, lesson, runs):
        measure = lesson["exercise"].get("measure", "time_s")
        return [self.native(lesson).report(run)[measure] for run in runs]

    @for_each
    def test_every_lesson_has_its_form(self, lesson):
        jsonschema.validate(lesson, FORM)
        asked = lesson["predict"].keys() & {"faster", "order", "number"}
        self.assertEqual(len(asked) or len(lesson["predict"].keys() & {"reason"}), 1)
        self.assertEqual(len(lesson["exercise"].keys() & {"runs", "ratio", "ends", "between"}), 1)

    @for_each
    def test_texts_are_short_and_the_question_comes_before_the_answer(self, lesson):
        for key, most in (("setup", 80), ("because", 160), ("goal", 30)):
            self.assertLessEqual(len(lesson[key].split()), most, key)
        for step in lesson["steps"]:
            self.assertLessEqual(len(step["say"].split()), 45, step)
        told = set(RESULT.findall(lesson["because"])) & set(RESULT.findall(
            " ".join((lesson["title"], lesson["setup"], lesson["predict"]["ask"]))))
        self.assertFalse(told, "told before the question")

    @for_each
    def test_a_reason_is_right_and_the_others_say_why_not(self, lesson):
        reasons = lesson["predict"].get("reason", [])
        self.assertEqual(sum("right" in one for one in reasons), 1 if reasons else 0)
        for one in reasons:
            self.assertNotEqual("right" in one, "why" in one, one)

    @for_each
    def test_needs_come_earlier_in_the_course(self, lesson):
        every = [one["id"] for one in course.lessons(self.folder)]
        self.assertLessEqual(set(lesson["needs"]), set(every[:every.index(lesson["id"])]))

    @for_each
    def test_every_run_runs_and_the_cases_to_order_differ(self, lesson):
        native = self.native(lesson)
        times = [native.report({"case": name})["time_s"]
                 for name in lesson["predict"].get("order", [])]
        for one, other in itertools.combinations(times, 2):
            self.assertGreater(max(one, other) / min(one, other), 1.02, times)
        self.assertFalse(times and times == sorted(times), "listed in the order of the answer")

    @for_each
    def test_no_run_prints_the_answer_of_the_exercise(self, lesson):
        exercise = lesson["exercise"]
        if "runs" not in exercise:
            return
        values = self.values(lesson, exercise["runs"])
        right = values[0] / values[1] if len(values) > 1 else values[0]
        shown = self.values(lesson, lesson["runs"])
        shown += [shown[0] / shown[-1], shown[-1] / shown[0]]
        self.assertGreater(right, 0)
        for one in shown:
            self.assertGreater(abs(one / right - 1), exercise["within"])

    def solved(self, lesson, runs):
        exercise, native = lesson["exercise"], self.native(lesson)
        if "ends" in exercise:
            return not native.report(runs[0]).get("deadlock")
        values = self.values(lesson, runs)
        found = values[1] / values[0] if "ratio" in exercise else \
            values[-1] / exercise.get("scale", 1)
        least, most = exercise.get("ratio") or exercise["between"]
        return least <= found <= most

    @for_each
    def test_an_exercise_can_be_solved_and_is_not_solved_at_the_start(self, lesson):
        solution = lesson["exercise"].get("solution")
        self.assertEqual(solution is None, "runs" in lesson["exercise"])
        if solution is None:
            return
        self.assertFalse(self.solved(lesson, lesson["runs"]), "at the start")
        changed = [laid_over(*pair) for pair in itertools.zip_longest(
            lesson["runs"], solution, fillvalue={})]
        self.assertTrue(self.solved(lesson, changed), "with its solution")

    @for_each
    def test_a_formula_gives_the_simulated_value(self, lesson):
        formula = lesson.get("formula")
        if not formula:
            return
        self.assertLessEqual(set(formula["terms"]), TERMS)
        names = {name: quantity(one["is"]) for name, one in formula["where"].items()}
        total = sum(value_of(str(term), names) for term in formula["terms"].values())
        run = lesson["runs"][formula.get("run", 0)]
        value = self.native(lesson).report(run)[formula["measure"]]
        self.assertAlmostEqual(total / value, 1, delta=formula["within"])


if __name__ == "__main__":
    Course.build = pathlib.Path(sys.argv[1]).resolve()
    for word in sys.argv[2:]:
        if word.startswith("--lessons="):
            Course.folder = pathlib.Path(word.partition("=")[2]).resolve()
    Course.chosen = [word for word in sys.argv[2:] if not word.startswith("-")]
    unittest.main(argv=sys.argv[:1])
