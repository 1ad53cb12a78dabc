#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Does headers_for_test.py report each missing include, and only those?"""

import unittest

import headers_for_test

RANGE = """#include <cstddef>
namespace house {
inline constexpr int most_parts = 4;
struct Range { std::size_t size = 0; };
enum class Way : int { up, down };
using Ranges = Range*;
template <class T>
concept Sized = requires(T t) { t.size; };
template <class Item, int count = 2>
class Store { void put(Item item); };
Range piece_of(const Range& whole, int part = most_parts);
inline int twice(int n) { return 2 * n; }
}  // namespace house
"""


def complaints(text, includes=(), others=None, space="house"):
    """Complaints about a header with this text in a namespace, beside range.hpp and others."""
    lines = "".join(f"#include {name}\n" for name in includes)
    sources = {"range.hpp": RANGE, **(others or {}),
               "user.hpp": f"{lines}namespace {space} {{\n{text}\n}}  // namespace {space}\n"}
    return headers_for_test.complaints(sources)


class Missing(unittest.TestCase):
    def expect(self, text, name, **where):
        self.assertEqual(complaints(text, **where),
                         [f"user.hpp:2: uses {name}, which range.hpp declares; include it"])
        self.assertEqual(complaints(text, ['"range.hpp"'], **where), [])

    def test_types_are_reported(self):
        self.expect("int size_of(const Range& range);", "Range")
        self.expect("inline int n() { return static_cast<int>(Way::up); }", "Way")
        self.expect("struct Parts { Ranges all; };", "Ranges")
        self.expect("template <Sized T> int size_of(T t);", "Sized")
        self.expect("struct Ints { Store<int> all; };", "Store")

    def test_functions_and_constants_are_reported(self):
        self.expect("inline int four() { return twice(2); }", "twice")
        self.expect("inline int parts = most_parts;", "most_parts")
        self.expect("inline bool few(int n) { return n < 2 && n < most_parts; }", "most_parts")

    def test_names_of_outer_and_named_namespaces_are_reported(self):
        self.expect("int size_of(const Range& range);", "Range", space="house::deep")
        self.expect("int size_of(const house::Range& range);", "house::Range", space="shed")

    def test_each_name_is_reported_once_with_its_first_line(self):
        found = complaints("\nvoid a(Range one, Range other);\nvoid b(Range one, Way way);")
        self.assertEqual(found, [
            "user.hpp:3: uses Range, which range.hpp declares; include it",
            "user.hpp:4: uses Way, which range.hpp declares; include it"])

    def test_all_headers_that_declare_a_name_are_reported(self):
        twin = {"twin.hpp": "namespace house { int twice(long n); }\n"}
        self.assertEqual(complaints("inline int n = twice(2);", others=twin), [
            "user.hpp:2: uses twice, which range.hpp or twin.hpp declares; include it"])

    def test_definition_is_reported_where_only_an_announcement_is_reached(self):
        announced = {"ahead.hpp": "namespace house { struct Range; }\n"}
        for text in ("struct Part { Range all; };", "struct Part : public Range {};",
                     "inline auto make() { return Range{}; }"):
            with self.subTest(text):
                self.assertEqual(complaints(text, ['"ahead.hpp"'], announced), [
                    "user.hpp:3: uses the definition of Range, which range.hpp declares; "
                    "include it"])

    def test_names_of_std_are_reported(self):
        self.assertEqual(complaints("std::vector<int> all();"), [
            "user.hpp:2: uses std::vector, which <vector> declares; include it"])
        self.assertEqual(complaints("std::chrono::steady_clock::time_point now();"), [
            "user.hpp:2: uses std::steady_clock, which <chrono> declares; include it"])
        self.assertEqual(complaints("std::vector<int> all();", ["<vector>"]), [])
        self.assertEqual(complaints("std::unheard_of all();"), [
            "user.hpp:2: unknown name std::unheard_of: add its header to "
            "scripts/headers_for_test.py"])

    def test_names_of_other_libraries_are_reported(self):
        for text, name, header in (
                ("inline auto text = fmt::format(1);", "fmt::format", "fmt/"),
                ("boost::container::small_vector<int, 2> all();", "boost::container::small_vector",
                 "boost/container/small_vector"),
                ("void send(MPI_Comm comm);", "MPI_Comm", "mpi.h"),
                ("inline void check() { EXPECT_EQ(1, 1); }", "EXPECT_EQ", "gtest/"),
                ("inline void check() { assert(true); }", "assert", "cassert")):
            with self.subTest(text):
                self.assertEqual(complaints(text), [
                    f"user.hpp:2: uses {name}, which <{header}...> declares; include it"])
                full = header + "core.h" * header.endswith("/")
                self.assertEqual(complaints(text, [f"<{full}>"]), [])


class NotMissing(unittest.TestCase):
    def expect_none(self, text, *includes, **where):
        self.assertEqual(complaints(text, includes, **where), [])

    def test_headers_are_reached_through_others(self):
        between = {"between.hpp": '#include "range.hpp"\n#include <fmt/core.h>\n'}
        self.expect_none("inline auto s = fmt::format(Range().size);", '"between.hpp"',
                         others=between)

    def test_one_of_several_headers_is_enough(self):
        twin = {"twin.hpp": "namespace house { int twice(long n); }\n"}
        self.expect_none("inline int n = twice(2);", '"twin.hpp"', others=twin)

    def test_announced_types_serve_as_pointers_references_and_results(self):
        self.expect_none("struct Range;\nstruct Part { const Range* whole; };\n"
                         "Range cut(const Range& range, Range other);")
        self.expect_none("void add(CLI::App* app);", '"words.hpp"',
                         others={"words.hpp": "namespace CLI { class App; }\n"})

    def test_announced_types_serve_in_pointers_to_their_members(self):
        announced = {"ahead.hpp": "namespace house { struct Range; }\n"}
        self.assertEqual(complaints("using Step = bool (Range::*)(int);", ['"ahead.hpp"'],
                                    announced), [])

    def test_own_declarations_need_no_include(self):
        self.expect_none("struct Range {};\nRange whole();", space="shed")
        self.expect_none("struct Part { enum class Way { left }; Way way = Way::left; };")
        self.expect_none("template <class Range> int size_of(const Range& range);")

    def test_own_parameters_variables_and_members_are_no_uses(self):
        for text in ("inline int size_of(int twice) { return twice; }",
                     "inline int size_of(const int& twice) { return twice + 1; }",
                     "struct Part { int first = 0, twice, last; int n() { return twice; } };",
                     "struct Part { int twice() const; int n() { return twice(); } };",
                     "inline int n(Pair p) { auto [a, twice] = p; return twice; }",
                     "inline int n(Pair p) { return [twice = 2] { return twice; }(); }",
                     "inline int n(Part p, Part* q) { return p.twice(1) + q->twice(2); }"):
            with self.subTest(text):
                self.expect_none(text)

    def test_enumerators_are_no_uses(self):
        self.expect_none("enum class Work : int { twice, most_parts = 3 };")
        self.expect_none("enum class Work { twice };\ninline Work work = Work::twice;")

    def test_names_of_other_namespaces_are_no_uses(self):
        self.expect_none("inline int n = shed::twice(2);")
        self.expect_none("void put(Range range);", space="shed")

    def test_comments_texts_and_directives_are_no_uses(self):
        self.expect_none('// twice(2)\n#define TWICE twice(2)\ninline auto s = "Range";')

    def test_members_of_a_class_in_another_header_are_no_uses(self):
        others = {"queue.hpp": "namespace house { template <class Of> class Queue {\n"
                               "struct Work { int left; };\nWork* first();\n}; }\n",
                  "work.hpp": "namespace house { struct Work {}; int first(); }\n"}
        self.expect_none("template <class Of>\nvoid Queue<Of>::run() { Work* one = first(); }",
                         '"queue.hpp"', others=others)
        self.expect_none("struct Line : public Queue<int> { void run() { Work* one = first(); } };",
                         '"queue.hpp"', others=others)
        self.assertNotEqual(complaints("Work* one();", ['"queue.hpp"'], others), [])


if __name__ == "__main__":
    unittest.main()
