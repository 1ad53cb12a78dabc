#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Does the count of names follow a message through calls, callbacks and suspended functions?"""

import os
import subprocess
import sys
import tempfile
import unittest

import message_names_for_test as message_names  # skips this test where python3-clang is missing

SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "message_names_for_test.py")
KERNEL = """#pragma once
namespace ringscope::sim {
struct Callback {
  template <auto member> static Callback to(void*) { return {}; }
};
}
"""
MACHINE = """#pragma once
namespace ringscope::sim {
struct Far { int value() { return 1; } };
struct Link { Far far; };
struct Machine {
  int route() { return deeper() + link.far.value(); }
  int deeper();
  Link link;
};
}
"""
MPI = """#pragma once
#include "sim/kernel/kernel.hpp"
#include "sim/machine/machine.hpp"
namespace ringscope::sim {
struct Mpi {
  int begin_send(int request);
  void more();
  Machine machine;
};
}
"""
COROUTINE = """
#include <coroutine>
namespace ringscope::sim {
struct Task {
  struct promise_type {
    Task get_return_object() { return {}; }
    std::suspend_never initial_suspend() { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() {}
  };
};
struct Time : std::suspend_always {};
struct Wire { Time passes() { return {}; } };
Task eager(Wire* wire) { co_await wire->passes(); }
"""


class MessageNames(unittest.TestCase):
    def names(self, body, before="namespace ringscope::sim {", machine="", code=0,
              words=("--list",)):
        """By folder, of begin_send() with this body. It is called by RankThread::send."""
        files = {
            "sim/kernel/kernel.hpp": KERNEL,
            "sim/machine/machine.hpp": MACHINE,
            "sim/machine/machine.cpp": '#include "sim/machine/machine.hpp"\n' + machine,
            "sim/mpi/mpi.hpp": MPI,
            "sim/mpi/mpi.cpp": f'#include "sim/mpi/mpi.hpp"\n{before}\n'
                               f"int Mpi::begin_send(int request) {{ {body} }}\n}}\n",
            "sim/mpi/mpi_test.cpp": "is not compiled",
            "sim/ranks/rank.cpp": '#include "sim/mpi/mpi.hpp"\nnamespace ringscope::sim {\n'
                                  "struct Thread { Mpi mpi; void send() { mpi.begin_send(0); } };\n"
                                  "}\n"}
        with tempfile.TemporaryDirectory() as root:
            for path, text in files.items():
                os.makedirs(os.path.dirname(os.path.join(root, path)), exist_ok=True)
                with open(os.path.join(root, path), "w", encoding="utf-8") as file:
                    file.write(text)
            ran = subprocess.run([sys.executable, SCRIPT, *words, root], capture_output=True,
                                 text=True)
        self.assertEqual(ran.returncode, code, ran.stderr)
        lines = [line.partition(": ") for line in ran.stdout.splitlines() if ": " in line]
        self.assertEqual(ran.stdout.count(" on the path of an eager message"), code in (0, 5))
        return {title: names.split() for title, _, names in lines}

    def test_an_empty_send_meets_mpi_alone(self):
        self.assertEqual(self.names("return request;"), {
            "names of sim/mpi": ["Mpi"], "functions of sim/mpi": ["Mpi::begin_send"],
            "functions of sim/ranks": ["Thread::send"]})

    def test_a_callback_is_followed_and_auto_is_resolved(self):
        found = self.names("Callback::to<&Mpi::more>(this); return 0;",
                           "namespace ringscope::sim {\nstruct Piece {}; using Part = Piece;\n"
                           "Part piece() { return {}; }\n"
                           "void Mpi::more() { const auto& part = piece(); }")
        self.assertEqual(found["names of sim/mpi"], ["Mpi", "Piece"])
        self.assertEqual(found["names of sim/kernel"], ["Callback"])
        self.assertEqual(found["functions of sim/mpi"], ["Mpi::begin_send", "Mpi::more", "piece"])

    def test_suspended_functions_are_followed(self):
        found = self.names("Wire wire; eager(&wire); return 0;", COROUTINE)
        self.assertIn("eager", found["functions of sim/mpi"])
        self.assertIn("Wire::passes", found["functions of sim/mpi"])
        self.assertLess({"Task", "Time", "Wire"}, set(found["names of sim/mpi"]))

    def test_functions_that_override_what_is_called_are_followed(self):
        found = self.names("Own own; Owner& owner = own; owner.told(); return 0;", """
namespace ringscope::sim {
enum class Cause { copy };
struct Owner { virtual void told() = 0; };
struct Own : Owner { void told() override { auto cause = Cause::copy; } };""")
        self.assertIn("Own::told", found["functions of sim/mpi"])
        self.assertIn("Cause", found["names of sim/mpi"])

    def test_templates_count_once_and_are_followed(self):
        found = self.names("Pool<int> a; Pool<long> b; return a.at() + int(b.at());", """
namespace ringscope::sim {
struct Slot { int value = 0; };
template <class T> struct Pool { T at() { return Slot().value; } };""")
        self.assertEqual(found["names of sim/mpi"], ["Mpi", "Pool", "Slot"])

    def test_the_machine_is_entered_one_body_deep(self):
        found = self.names("return machine.route();", machine="""namespace ringscope::sim {
struct Deep {};
int Machine::deeper() { Deep deep; return 0; }
}
""")
        self.assertEqual(found["functions of sim/machine"], ["Machine::route"])
        self.assertEqual(found["names of sim/machine"], ["Far", "Link", "Machine"])

    def test_other_protocols_are_not_followed(self):
        found = self.names("stream(); rendezvous_part(); return 0;", """
namespace ringscope::sim {
struct Stream {};
void stream() { Stream one; }
void rendezvous_part() { Stream one; }""")
        self.assertEqual(found["names of sim/mpi"], ["Mpi"])

    def test_more_names_than_allowed_fail(self):
        self.names("return 0;", words=("--most", "1"))
        self.names("return 0;", words=("--most", "0"), code=5)

    def test_sources_that_do_not_compile_are_an_error(self):
        self.names("return nothing;", code=1)


class Tree(unittest.TestCase):
    def test_source_tree_is_found_from_the_script(self):
        sources = message_names.Sources(os.path.join(os.path.dirname(SCRIPT), ".."), ())
        self.assertTrue(os.path.isdir(os.path.join(sources.root, message_names.HOME)))


if __name__ == "__main__":
    unittest.main()
