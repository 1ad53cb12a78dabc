#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Does the count of casts to std::size_t see each spelling, and no literal or declaration?"""

import unittest

import check_casts

HELPER = "static std::size_t index(int i) { return static_cast<std::size_t>(i); }\n"


def casts(**sources):
    """Sum over files, whose names have _ for / in their folders."""
    return check_casts.casts_in({
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
        self.assertEqual(casts(sim_a=HELPER + "a[index(i)] + b[index(j)]"), 3)
        self.assertEqual(casts(sim_a=HELPER, sim_b="a[index(i)]"), 2)
        self.assertEqual(check_casts.casts_in(
            {"sim/a.hpp": HELPER, "sim/mpi/b.cpp": "a[index(i)]", "cli/c.cpp": "a[index(i)]"}),
            {"sim": 2, "cli": 0})

    def test_members_of_others_and_longer_functions_are_no_helpers(self):
        self.assertEqual(casts(sim_a=HELPER + "a.index(i) + b->index(i) + Other::index(i)"), 1)
        self.assertEqual(casts(sim_a="std::size_t at(int i) { return first + "
                                     "static_cast<std::size_t>(i); }\n at(1)"), 1)

    def test_tests_may_cast(self):
        self.assertEqual(check_casts.casts_in({"sim/a_test.cpp": "std::size_t(i)"}).total(), 0)

    def test_growth_is_refused_and_says_where_they_are(self):
        sources = {"sim/a.cpp": "size_t(i)", "cli/a.cpp": "size_t(i) + size_t(j)"}
        self.assertEqual(list(check_casts.breaches_of(sources, 3)), [])
        breach, = check_casts.breaches_of(sources, 2)
        self.assertIn("3 casts to std::size_t (2 in cli, 1 in sim), at most 2 allowed", breach)


if __name__ == "__main__":
    unittest.main()
