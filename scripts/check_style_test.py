#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Does the style test see each breach, and only breaches?"""

import os
import subprocess
import sys
import tempfile
import unittest

import check_style

LICENCE = f"// {check_style.LICENCE}\n"
HEADER = LICENCE + "// A header.\n#pragma once\n"
WITHOUT_LICENCE = [rule for rule in check_style.RULES if rule != check_style.check_licence]


def breaches(path, text):
    return check_style.breaches_in(path, text, WITHOUT_LICENCE)


class Lines(unittest.TestCase):
    def test_a_line_of_100_columns_passes_and_one_of_101_does_not(self):
        self.assertEqual(breaches("sim/a.cpp", "x" * 100 + "\n"), [])
        self.assertEqual(breaches("sim/a.cpp", "\n" + "x" * 101 + "\n"),
                         ["sim/a.cpp:2: 101 columns, at most 100 are allowed"])

    def test_tables_may_be_wider(self):
        self.assertEqual(breaches("README.md", "x" * 120 + "\n"), [])

    def test_unfinished_work_is_named(self):
        for word in ("TO" + "DO", "FIX" + "ME", "XX" + "X"):
            self.assertEqual(breaches("sim/a.cpp", f"// {word}: later\n"),
                             [f"sim/a.cpp:1: {word}: finish it, or open an issue"])

    def test_python_finds_its_packages_by_itself(self):
        line = "sys.pa" + "th.insert(0, here)\n"
        for path, text in (("a.py", line), ("plots/a", "#!/usr/bin/python3\n" + line)):
            self.assertEqual(breaches(path, text), [
                f"{path}:{text.count(chr(10))}: Python's path stays as it is: start modules at the "
                "root, python3 -m"])
        self.assertEqual(breaches("a.md", line), [])


class Licence(unittest.TestCase):
    MISSING = f"expected '{check_style.LICENCE}' in a comment on the first line, or below '#!'"

    def test_source_without_spdx_line_is_named(self):
        for path, text in (("sim/a.cpp", "int a;\n"), ("a.py", '"""A."""\n'), ("a.js", "a();\n"),
                           ("CMakeLists.txt", "a()\n"), ("a.css", "a{}\n"), ("a.slurm", "#!/a\n"),
                           ("sim/b.cpp", "int a;\n" + LICENCE), ("sim/c.hpp", "// SPDX: MIT\n")):
            self.assertEqual(check_style.breaches_in(path, text, [check_style.check_licence]),
                             [f"{path}:1: {self.MISSING}"])

    def test_spdx_line_passes_on_the_first_line_or_below_the_interpreter(self):
        line = check_style.LICENCE
        for path, text in (("sim/a.cpp", LICENCE + "int a;\n"), ("a.css", f"/* {line} */\n"),
                           ("a.py", f"# {line}\n"), ("a", f"#!/bin/sh\n# {line}\n:\n")):
            self.assertEqual(check_style.breaches_in(path, text, [check_style.check_licence]), [])

    def test_data_texts_and_empty_files_need_no_spdx_line(self):
        for path, text in (("a.csv", "a\n"), ("a.md", "a\n"), ("a.yaml", "a\n"), ("a.txt", "a\n"),
                           (".clang-format", "a: 1\n"), ("__init__.py", "")):
            self.assertEqual(check_style.breaches_in(path, text, [check_style.check_licence]), [])

    def test_spdx_line_counts_neither_as_a_line_nor_as_a_comment(self):
        self.assertEqual(breaches("sim/a.cpp", LICENCE + "\n" * 330), [])
        self.assertEqual(len(breaches("sim/a.cpp", LICENCE + "\n" * 331)), 1)
        self.assertEqual(len(breaches("sim/a.hpp", LICENCE + "#pragma once\n")), 1)
        self.assertEqual(len(breaches("sim/a.cpp", LICENCE + "// Of a run.\n")), 1)


class Lengths(unittest.TestCase):
    def test_a_file_of_331_lines_is_too_long(self):
        self.assertEqual(breaches("sim/a.cpp", "\n" * 330), [])
        self.assertEqual(breaches("sim/a.cpp", "\n" * 331),
                         ["sim/a.cpp:1: 331 lines, at most 330 are allowed: split it by topic"])
        members = "int Ring::next() {\n  return 1;\n}\n"
        self.assertNotIn("at most", str(breaches("sim/a.cpp", LICENCE + members + "\n" * 400)))
        self.assertIn("at most 330", str(breaches(
            "sim/a.cpp", LICENCE + members + members.replace("Ring", "Tree") + "\n" * 400)))
        self.assertIn("at most 700", str(breaches("sim/a.cpp", LICENCE + members + "\n" * 700)))

    def test_a_readme_of_151_lines_is_too_long(self):
        self.assertEqual(breaches("README.md", "\n" * 150), [])
        self.assertEqual(breaches("README.md", "\n" * 151),
                         ["README.md:1: 151 lines, at most 150 are allowed"])

    def test_a_function_of_61_lines_is_too_long(self):
        for signature in ("int f(int a)", "void A::g() const noexcept", "A::A(int b) : b_(b)",
                          "TEST(Suite, name)", "auto operator()(int) -> int"):
            body = "  a();\n"
            short = f"\n{signature} {{\n{body * 58}}}\n"
            long = f"\n{signature} {{\n{body * 59}}}\n"
            self.assertEqual(breaches("sim/a.cpp", short), [], signature)
            self.assertEqual(breaches("sim/a.cpp", long),
                             ["sim/a.cpp:2: a function of 61 lines, at most 60 are allowed"])

    def test_namespaces_classes_and_tables_may_be_long(self):
        members = "  int a(int b);\n" * 70
        for head, tail in (("namespace a", ""), ("class A : public B<int>", ";"),
                           ("enum class A", ";"), ("const int table[] =", ";")):
            self.assertEqual(breaches("sim/a.cpp", f"{head} {{\n{members}}}{tail}\n"), [], head)

    def test_a_long_function_in_a_class_is_seen_and_braces_in_strings_are_not(self):
        braces = '    a("}", \'{\', "//");  // {\n'
        method = "  void f() {\n" + braces + "    if (a) { b(); }\n" * 59 + "  }\n"
        self.assertEqual(breaches("sim/a.cpp", f"namespace n {{\nclass A {{\n{method}}};\n}}\n"),
                         ["sim/a.cpp:3: a function of 62 lines, at most 60 are allowed"])

    def test_a_long_python_function_is_seen_with_and_without_a_suffix(self):
        text = "#!/usr/bin/python3\ndef f():\n" + "    a()\n" * 60
        for path in ("plots/a", "plots/a.py"):
            self.assertEqual(breaches(path, text),
                             [f"{path}:2: a function of 61 lines, at most 60 are allowed"])


class Names(unittest.TestCase):
    def test_a_type_is_named_by_what_it_does(self):
        for name, word in (("TimeUtil", "Util"), ("RouteHelper", "Helper"),
                           ("RankManager", "Manager"), ("KernelImpl", "Impl")):
            for text in (f"class {name} {{\n", f"struct {name};\n", f"using {name} = int;\n",
                         f"enum class {name} {{ a }};\n", f"class {name} final : public B {{\n"):
                self.assertEqual(
                    breaches("sim/a.cpp", text),
                    [f"sim/a.cpp:1: '{word}' in {name} is vague: name what it does"])

    def test_words_that_contain_a_banned_word_pass(self):
        self.assertEqual(breaches("sim/a.cpp", "class Implicit {};\nstruct Utilisation {};\n"), [])

    def test_a_base_class_of_simgrid_may_be_called_as_simgrid_calls_it(self):
        text = "class Zone : public simgrid::kernel::routing::NetZoneImpl {\n"
        self.assertEqual(breaches("sim/kernel/simgrid/zone.cpp", text), [])

    def test_a_file_is_named_by_what_it_holds(self):
        self.assertEqual(breaches("sim/string_util.cpp", ""), [
            "sim/string_util.cpp:1: 'util' in a file's name is vague: name what it does"])


class Comments(unittest.TestCase):
    def test_a_comment_does_not_begin_with_a_pronoun_or_of(self):
        for word in ("Of", "That", "What", "Whom", "Whose"):
            for mark in ("//", "///", "int a;  ///<"):
                self.assertEqual(breaches("sim/a.cpp", f"\n{mark} {word} a run.\n"), [
                    f"sim/a.cpp:2: a comment that begins with '{word}': "
                    "begin with a noun or an action"])
            for text in (f'"""{word} a run."""\n', f"# {word} a run.\n",
                         f'def f():\n    """{word} a run."""\n'):
                self.assertEqual(len(breaches("plots/a.py", text)), 1, text)

    def test_later_lines_and_other_words_may(self):
        for text in ("// The time\n// Of a run.\n", "// Offset.\n// Whatever.\n",
                     'const char* a = "// What";\n', "int a;  ///< of a run\n"):
            self.assertEqual(breaches("sim/a.cpp", text), [], text)
        for text in ("# The time\n# Of a run.\n", 'a = "# What"\n', '"""Whatever."""\n'):
            self.assertEqual(breaches("plots/a.py", text), [], text)


class Coroutines(unittest.TestCase):
    """Programs that crashed, or would where an argument has gone, and their likes that do not."""

    def test_a_reference_parameter_is_named(self):
        for text in ("Task f(const X& x) {\n  co_await g(x);\n}",
                     "Task f(int a,\n  X&& x) { co_return; }",
                     "struct S {\n  Task f(X& x) const { for (int i : x) co_await g(i); }\n};"):
            self.assertEqual(len(breaches("sim/a.cpp", text + "\n")), 1, text)
        self.assertEqual(breaches("sim/a.cpp", "\nTask f(int a, X& x) { co_await g(x); }\n"), [
            "sim/a.cpp:2: a coroutine with a reference parameter: take a value, or a pointer"])

    def test_a_capturing_lambda_that_awaits_is_named(self):
        text = "auto f = [&](int x) -> Task { co_await g(x); };\n"
        self.assertEqual(breaches("sim/a.cpp", text), [
            "sim/a.cpp:1: a capturing lambda that is a coroutine: write a function"])

    def test_references_of_what_awaits_nothing_pass(self):
        for text in ("Task f(const X& x) { return g(&x); }",
                     "Task f(X x) { for (X& y : x.all) co_await g(&y); }",
                     "Task f(X x) {\n  h([&](int& y) { y += x; });\n  co_await g(x);\n}",
                     "auto f = [](X x) -> Task { co_await g(x); };"):
            self.assertEqual(breaches("sim/a.cpp", text + "\n"), [], text)

    def test_a_co_await_of_a_conditional_is_named(self):
        for line in ("co_await (a ? one(b, c) : other(b));", "x = co_await (f(a) ? b() : c());",
                     "co_await (a\n    ? b() : c());"):
            self.assertEqual(breaches("sim/a.cpp", f"\n{line}\n"), [
                "sim/a.cpp:2: co_await of a conditional, which g++ 12 loses: write an if"], line)

    def test_a_braced_list_in_a_co_await_is_named(self):
        for line in ("co_await comm.send({Buffer::data, 3, 2}, next);",
                     "co_await f(a, {b, c},\n           d);", "const R r = co_await g(h({1}));",
                     "co_await f(a, b ? c : {d});"):
            self.assertEqual(breaches("sim/a.cpp", f"\n{line}\n"), [
                "sim/a.cpp:2: a braced list in a co_await, which g++ 12 loses: name it first"],
                line)

    def test_correct_coroutines_pass(self):
        for line in ("co_await comm.reach(Flag{2}, 1);", "co_await comm.recv({}, 0);",
                     "if (a) { co_await b(); } else { co_await c(); }", "co_await a ? b : c;",
                     "co_await f(a ? b : c);", "for (int i : {1, 2}) co_await f(i);",
                     "// co_await (a ? b : c)", "f(co_await g(), {1, 2});",
                     "co_await (a).f(b ? c : d);"):
            self.assertEqual(breaches("sim/a.cpp", line + "\n"), [], line)


class Includes(unittest.TestCase):
    def check(self, path, name, fits):
        text = f"{HEADER}#include {name}\n"
        self.assertEqual(breaches(path, text) == [], fits, f"{path} {name}")

    def test_each_layer_includes_only_what_stands_to_its_left(self):
        for path, name, fits in (
                ("algorithms/a.cpp", '"algorithms/verbs/task.hpp"', True),
                ("algorithms/a.cpp", '"topologies/input/units.hpp"', False),
                ("topologies/a.cpp", '"algorithms/verbs/task.hpp"', False),
                ("algorithms/a.cpp", '"nccl/choice/tuning.hpp"', False),
                ("nccl/kernels/a.cpp", '"algorithms/verbs/task.hpp"', True),
                ("topologies/hosts/a.cpp", '"topologies/input/units.hpp"', True),
                ("scenarios/a.cpp", '"topologies/input/units.hpp"', True),
                ("scenarios/a.cpp", '"sim/executor.hpp"', False),
                ("sim/a.cpp", '"scenarios/answer/report.hpp"', True),
                ("sim/a.cpp", '"validation/fit.hpp"', False),
                ("sim/kernel/a.cpp", '"topologies/input/units.hpp"', True),
                ("sim/kernel/a.cpp", '"base/table.hpp"', True),
                ("algorithms/a.cpp", '"base/table.hpp"', True),
                ("base/table.hpp", '"algorithms/a.hpp"', False),
                ("sim/kernel/a.cpp", '"sim/mpi/rank.hpp"', False),
                ("sim/mpi/a.cpp", '"sim/kernel/kernel.hpp"', True),
                ("validation/a.cpp", '"sim/executor.hpp"', False),
                ("cli/a.cpp", '"sim/executor.hpp"', True)):
            self.check(path, name, fits)

    def test_algorithms_know_the_standard_library_and_fmt(self):
        self.check("algorithms/a.cpp", "<coroutine>", True)
        self.check("algorithms/a.cpp", "<fmt/format.h>", True)
        self.check("algorithms/a.cpp", "<mpi.h>", False)
        self.check("algorithms/a.cpp", "<boost/graph/adjacency_list.hpp>", False)
        self.check("algorithms/a.cpp", "<gtest/gtest.h>", False)
        self.check("algorithms/a_test.cpp", "<gtest/gtest.h>", True)
        self.check("algorithms/a_for_test.hpp", "<gtest/gtest.h>", True)
        self.check("topologies/a.cpp", "<fmt/format.h>", True)

    def test_simgrid_stays_in_its_kernel(self):
        for name in ("<simgrid/s4u.hpp>", "<xbt/log.h>"):
            self.check("sim/kernel/simgrid/simgrid_kernel.cpp", name, True)
            self.check("benchmarks/packets.cpp", name, True)
            self.check("benchmarks/speed.cpp", name, False)
            self.check("sim/kernel/kernel_test.cpp", name, False)
            self.check("sim/mpi/a.cpp", name, False)
            self.check("cli/a.cpp", name, False)


class Headers(unittest.TestCase):
    def test_a_header_opens_with_a_comment_and_is_read_once(self):
        self.assertEqual(breaches("sim/a.hpp", HEADER), [])
        self.assertEqual(breaches("sim/a.hpp", "#pragma once\n"), [
            "sim/a.hpp:1: a header opens with a comment that describes it"])
        self.assertEqual(breaches("sim/a.hpp", "// A header.\n"), [
            "sim/a.hpp:1: #pragma once is missing"])


class Whole(unittest.TestCase):
    def run_on(self, files):
        with tempfile.TemporaryDirectory() as root:
            for path, text in files.items():
                os.makedirs(os.path.join(root, os.path.dirname(path)), exist_ok=True)
                with open(os.path.join(root, path), "wb") as file:
                    file.write(text if isinstance(text, bytes) else text.encode())
            return subprocess.run([sys.executable, check_style.__file__, root],
                                  capture_output=True, text=True)

    def test_a_clean_tree_exits_0_and_a_breach_exits_1(self):
        self.assertEqual(self.run_on({"sim/a.hpp": HEADER}).returncode, 0)
        ran = self.run_on({"sim/a.hpp": "\n", "build/b.hpp": "\n", "out/c.hpp": "\n"})
        self.assertEqual(ran.returncode, 1)
        self.assertEqual(ran.stdout.count("\n"), 3, ran.stdout)

    def test_a_store_of_results_is_no_source_and_bytes_that_are_no_text_are_named(self):
        ran = self.run_on({"sim/a.hpp": HEADER, "kept.sqlite": b"\xb5", "kept.sqlite-wal": b"\xff"})
        self.assertEqual((ran.returncode, ran.stderr), (0, ""))
        ran = self.run_on({"sim/a.hpp": HEADER, "notes.txt": b"1 \xb5s\n"})
        self.assertEqual((ran.returncode, ran.stderr), (1, ""))
        self.assertEqual(ran.stdout, "notes.txt:1: not UTF-8 at byte 2: a source is text\n")

    def test_clang_format_speaks_too(self):
        ran = self.run_on({"sim/a.cpp": "int  a ;\n"})
        if "SKIP" in ran.stdout:
            self.skipTest(ran.stdout)
        self.assertIn("sim/a.cpp:1: not as clang-format lays it out", ran.stdout)
        self.assertEqual(ran.returncode, 1)


if __name__ == "__main__":
    unittest.main()
