#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Do the notebooks of docs/ run with the module alone, and are they kept without their outputs?

Usage: scripts/run_notebooks_test.py BUILD, where BUILD holds the program and the Python module.
Skipped, with the reason, where nbclient, a kernel or the module is not there.
"""

import glob
import importlib.util
import json
import os
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
NOTEBOOKS = sorted(glob.glob(os.path.join(ROOT, "docs", "notebooks", "*.ipynb")))
# A part of each notebook's outputs.
SAYS = {"calibrate-my-log.ipynb": "predicted too fast: ",
        "where-do-i-put-my-ranks.ipynb": "mine 81.0 ms"}


def read(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


class Notebooks(unittest.TestCase):
    def test_are_all_known_here(self):
        self.assertEqual({os.path.basename(path) for path in NOTEBOOKS}, set(SAYS))

    def test_are_kept_without_outputs(self):
        for path in NOTEBOOKS:
            for cell in read(path)["cells"]:
                with self.subTest(f"{os.path.basename(path)}: {cell['id']}"):
                    self.assertFalse(cell.get("outputs"))
                    self.assertIsNone(cell.get("execution_count"))

    def test_run(self):
        for module in ("nbclient", "nbformat", "ipykernel"):
            if importlib.util.find_spec(module) is None:
                self.skipTest(f"python3-{module} is not installed")
        if not glob.glob(os.path.join(BUILD, "python", "ringscope", "_core.*")):
            self.skipTest("the Python module is not built")
        for path in NOTEBOOKS:
            name = os.path.basename(path)
            with self.subTest(name):
                self.assertIn(SAYS[name], printed(path))


def printed(path):
    """Text that the cells of a notebook print, executed in a folder of its own."""
    import nbclient
    import nbformat

    os.environ.update(RINGSCOPE_DATA=ROOT, PYTHONPATH=os.path.join(BUILD, "python"))
    notebook = nbformat.read(path, as_version=4)
    with tempfile.TemporaryDirectory() as place:
        client = nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3",
                                         resources={"metadata": {"path": place}})
        client.execute()
    return "".join(output.get("text", "") for cell in notebook.cells
                   for output in cell.get("outputs", []))


if __name__ == "__main__":
    BUILD = os.path.abspath(sys.argv.pop(1)) if len(sys.argv) > 1 else os.path.join(ROOT, "build")
    unittest.main()
