#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Do casts to std::size_t become fewer? Containers are to take ids and ints as they are.

All spellings count, and each call of a helper whose body is only such a cast, from the files of its
folder and those below. Typed literals, std::size_t{0}, are no casts.
"""

import collections
import os
import re
import unittest

import check_style
from check_folders import FOR_TESTS

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
MOST_CASTS = 147  # lower it whenever some go
SIZE = r"(?:std::)?\bsize_t"
CAST = re.compile(rf"static_cast<{SIZE}>\(|\b{SIZE}[({{](?![\d)}}]|int |const )"
                  rf"|(?<!\w)\({SIZE}\)(?=[\w(])")
HELPER = re.compile(rf"\b(\w+)\([^(){{}};]*\)[\w\s]*\{{\s*return (?:static_cast<{SIZE}>|{SIZE})"
                    r"[({][\w.]+[)}];\s*\}")


def casts_in(sources):
    """By top folder; `sources`: C++ without comments and strings, by path below the root."""
    helpers, casts = collections.defaultdict(set), collections.Counter()
    for path, code in sources.items():
        helpers[os.path.dirname(path)].update(HELPER.findall(code))
    for path, code in sources.items():
        names = "|".join(name for folder, known in sorted(helpers.items())
                         for name in sorted(known) if path.startswith(folder + "/"))
        calls = re.findall(rf"(?<![\w.>:])(?<!size_t )(?:{names})\(", code) if names else []
        if not FOR_TESTS.search(path):
            casts[path.split("/")[0]] += len(CAST.findall(code)) + len(calls)
    return casts


A_HELPER = "static std::size_t index(int i) { return static_cast<std::size_t>(i); }\n"


def casts(**sources):
    """Sum over files, whose names have _ for / in their folders."""
    return casts_in({
        path.replace("_", "/", 1) + ".cpp": code for path, code in sources.items()}).total()


class Casts(unittest.TestCase):
    def test_each_spelling_counts(self):
        for code in ("static_cast<std::size_t>(i)", "static_cast<size_t>(i)", "std::size_t(i)",
                     "std::size_t{all}", "size_t(at.count)", "a[(size_t)i]",
                     "(std::size_t)(i + 1)"):
            self.assertEqual(casts(sim_a=code), 1, code)

    def test_literals_and_declarations_do_not(self):
        for code in ("std::size_t{0}", "std::size_t{1} << 20", "std::size_t i = 0;",
                     "-> std::size_t { return 0; }", "std::function<std::size_t(int from)>",
                     "std::size_t (*size)(int)", "int size(std::size_t) const", "sizeof(size_t)",
                     "static_cast<std::uint64_t>(i)", "my_size_t(i)",
                     "std::vector<std::size_t>(n)"):
            self.assertEqual(casts(sim_a=code), 0, code)

    def test_calls_of_a_helper_count_in_its_folder_and_below(self):
        self.assertEqual(casts(sim_a=A_HELPER + "a[index(i)] + b[index(j)]"), 3)
        self.assertEqual(casts(sim_a=A_HELPER, sim_b="a[index(i)]"), 2)
        self.assertEqual(casts_in(
            {"sim/a.hpp": A_HELPER, "sim/mpi/b.cpp": "a[index(i)]", "cli/c.cpp": "a[index(i)]"}),
            {"sim": 2, "cli": 0})

    def test_members_of_others_and_longer_functions_are_no_helpers(self):
        self.assertEqual(casts(sim_a=A_HELPER + "a.index(i) + b->index(i) + Other::index(i)"), 1)
        self.assertEqual(casts(sim_a="std::size_t at(int i) { return first + "
                                     "static_cast<std::size_t>(i); }\n at(1)"), 1)

    def test_tests_may_cast(self):
        self.assertEqual(casts_in({"sim/a_test.cpp": "std::size_t(i)"}).total(), 0)

    def test_the_project_has_no_more_than_before(self):
        code = {}
        for path in check_style.project_files(ROOT):
            if path.endswith(check_style.CPP):
                with open(os.path.join(ROOT, path), encoding="utf-8") as file:
                    code[path] = check_style.code_only(file.read())
        found = casts_in(code)
        self.assertLessEqual(found.total(), MOST_CASTS, f"casts to std::size_t: {dict(found)}: "
                             "use a container that takes an id, or an int, as its index")


if __name__ == "__main__":
    unittest.main()
