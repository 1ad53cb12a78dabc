# SPDX-License-Identifier: LGPL-2.1-or-later
"""Mutated inputs of every kind: whatever stands in a file, the program must say what it thinks."""

from . import inputs, verdict
from .seeds import Seeds

NAME = "syntax"
ABOUT = "mutated files and command lines"


def run(options, budget, outcomes):
    seeds = Seeds()

    def one(number):
        made = inputs.make(options.random(NAME, number), seeds)
        ended = options.program.run(made.words, made.files, keep=True)
        problem = verdict.problem(ended, made.files) or problem_of_files(ended)
        if problem:
            outcomes.found(NAME, number, problem, made.files)

    budget.each(one)


def problem_of_files(ended):
    if ended.code != 0:
        return None
    problems = (verdict.file_problem(name, text) for name, text in sorted(ended.files.items()))
    found = next(filter(None, problems), None)
    return found and f"{found}\n$ {ended.command}"
