# SPDX-License-Identifier: LGPL-2.1-or-later
"""Fuzzers of the program: each is a module that scripts/fuzz lists in FUZZERS.

It has NAME (a word), ABOUT (one line) and run(options, budget, outcomes): budget.each(one) calls
one(number) until time or count is spent; input `number` is made of options.random(NAME, number)
alone, so the same seed gives the same inputs. options.program.run(words, files) runs the program
in a fresh folder with these files ({name: bytes}) and returns an Ended (run.py); verdict.py says
what is wrong with one. outcomes.found(NAME, number, problem, {name: bytes}) keeps a reproducer.
"""
