#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Checks the result lines that students hand in, and prints one row per student.

Usage: plots/playground/check_results.py FILE... Lines that are no result lines are skipped. The
check sum finds slips of copying, not forgeries. Exits with 1 if a line is damaged.
"""

import collections
import sys


def check_of(text):
    """The check sum that the page adds to a line (record.js)."""
    total = 7
    for letter in text:
        total = (total * 31 + ord(letter)) % 4294967291
    digits = ""
    while total or not digits:
        total, digit = divmod(total, 36)
        digits = "0123456789abcdefghijklmnopqrstuvwxyz"[digit] + digits
    return digits


def main():
    students, damaged = collections.defaultdict(dict), 0
    for name in sys.argv[1:]:
        with open(name, encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                if not line.startswith("ringscope | "):
                    continue
                text, _, check = line.strip().rpartition(" | ")
                fields = text.split(" | ")
                if check_of(text) != check or len(fields) != 5:
                    print(f"{name}:{number}: damaged line: {line.strip()}", file=sys.stderr)
                    damaged += 1
                    continue
                _, lesson, student, said, exercise = fields
                students[student][lesson] = (said, exercise)
    for student, lessons in sorted(students.items()):
        solved = sum(exercise == "solved" for _, exercise in lessons.values())
        print(f"{student}: {solved} exercises solved, {len(lessons)} lessons begun: "
              f"{', '.join(sorted(lessons))}")
    sys.exit(damaged > 0)


if __name__ == "__main__":
    main()
