#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Are rings of folders and crowded folders named, of C++ and of Python?"""

import ast
import os
import pathlib
import unittest

import check_folders
import check_style

ROOT = pathlib.Path(__file__).resolve().parent.parent
PACKAGES = ("", "python")  # folders of Python's packages, beside the module's own


def imports_of(path, text, sources):
    """(line, module's path) of all that a Python module imports of `sources`."""
    here = os.path.dirname(path)
    for node in ast.walk(ast.parse(text)):
        if not isinstance(node, (ast.Import, ast.ImportFrom)):
            continue
        module = (getattr(node, "module", None) or "").replace(".", "/")
        up = getattr(node, "level", 0)
        homes = [here + "/.." * (up - 1)] if up else [*PACKAGES, here]
        for name in node.names:  # a module's, or of what it holds
            ends = f"{module}/{name.name.replace('.', '/')}", module
            ways = [os.path.normpath(f"./{home}/{end}") for end in ends if end for home in homes]
            found = [file for way in ways for file in (way + ".py", way + "/__init__.py")
                     if file in sources]
            yield from ((node.lineno, file) for file in found[:1])


def rings(sources):
    return list(check_folders.rings(sources, imports_of))


class Folders(unittest.TestCase):
    def test_packages_of_python_import_each_other_in_no_ring(self):
        texts = {path: (ROOT / path).read_text(encoding="utf-8")
                 for path in check_style.project_files(ROOT)
                 if not path.endswith(check_style.CPP) and (ROOT / path).is_file()}
        python = {path: text for path, text in texts.items() if check_style.is_python(path, text)}
        self.assertGreater(len(python), 300)
        self.assertEqual(rings(python), [])

    def test_a_ring_of_folders_is_named_with_one_include_of_each_edge(self):
        self.assertEqual(check_folders.breaches_of({
            "sim/mpi/a.cpp": '// A message.\n#include "sim/ranks/b.hpp"\n',
            "sim/ranks/b.hpp": '#include "sim/mpi/c.hpp"\n',
            "sim/mpi/c.hpp": "",
        }), ["sim/mpi/a.cpp:2: closes a ring of folders in sim: mpi includes ranks "
             "(sim/ranks/b.hpp), which includes mpi",
             "sim/ranks/b.hpp:1: closes a ring of folders in sim: ranks includes mpi "
             "(sim/mpi/c.hpp), which includes ranks"])

    def test_the_files_of_a_folder_and_those_of_folders_in_it_form_rings_too(self):
        ring = {"sim/a.hpp": '#include "sim/mpi/b.hpp"\n',
                "sim/mpi/b.hpp": '#include "sim/c.hpp"\n', "sim/c.hpp": ""}
        self.assertEqual(len(check_folders.breaches_of(ring)), 2)
        self.assertEqual(check_folders.breaches_of({**ring, "sim/mpi/b.hpp": ""}), [])

    def test_tests_may_look_up(self):
        self.assertEqual(check_folders.breaches_of({
            "sim/mpi/a_test.cpp": '#include "sim/ranks/b.hpp"\n',
            "sim/ranks/b.hpp": '#include "sim/mpi/c.hpp"\n',
            "sim/mpi/c.hpp": "",
        }), [])

    def test_imports_of_python_form_rings_too(self):
        for line in ("from validation import fit", "import validation.fit.errors",
                     "from validation.fit.errors import median", "from ..validation import fit"):
            ring = {"plots/style.py": line + "\n",
                    "validation/fit/errors.py": "import plots.style\n",
                    "validation/fit/__init__.py": "", "plots/__init__.py": ""}
            if line.startswith("from validation import"):
                ring["validation/fit/__init__.py"] = "from .errors import median"
            self.assertEqual(len(rings(ring)), 2, line)
            ring["plots/style_test.py"] = ring.pop("plots/style.py")
            self.assertEqual(rings(ring), [])

    def test_python_finds_a_module_at_the_root_beside_it_or_among_packages(self):
        self.assertEqual(rings({
            "scripts/fuzz": "#!/usr/bin/python3\nfrom fuzzing import jobs, names\n",
            "scripts/fuzzing/jobs.py": "import scripts.check\nimport os, numpy.linalg\n",
            "scripts/check.py": "import os\n", "python/__init__.py": "",
            "scripts/fuzzing/names.py": "import ringscope\n",
            "python/ringscope/__init__.py": "from ringscope import _core\n",
            "python/ringscope/_core.py": "from scripts import check\n",
        }), ["python/ringscope/_core.py:1: closes a ring of folders in the project: python "
                 "includes scripts (scripts/check.py), which includes python",
                 "scripts/fuzzing/names.py:1: closes a ring of folders in the project: scripts "
                 "includes python (python/ringscope/__init__.py), which includes scripts",
                 "scripts/fuzz:2: closes a ring of folders in scripts: . includes fuzzing "
                 "(scripts/fuzzing/jobs.py), which includes .",
                 "scripts/fuzzing/jobs.py:1: closes a ring of folders in scripts: fuzzing includes "
                 ". (scripts/check.py), which includes fuzzing"])

    def test_a_folder_with_more_than_25_files_is_named(self):
        files = {f"sim/f{number}.cpp": "" for number in range(25)}
        self.assertEqual(check_folders.breaches_of({**files, "sim/mpi/g.hpp": ""}), [])
        self.assertEqual(check_folders.breaches_of({**files, "sim/g.hpp": ""}), [
            "sim:1: 26 C++ files, at most 25 allowed: sort by concept"])


if __name__ == "__main__":
    unittest.main()
