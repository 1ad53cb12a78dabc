# SPDX-License-Identifier: LGPL-2.1-or-later
"""Does the installed module find its data, its fit and its pictures without the sources?"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

SCRIPT = """
import ringscope
print(ringscope.__file__)
print(ringscope.data_directory())
print(ringscope.run("03-anomaly").named("4-3-1").time_s)
print(len(ringscope.figure(ringscope.run("03-anomaly", record=True)).axes))
print(len(ringscope.names("libraries")))
"""

NCCL = """
import ringscope
print("efa_p5" in ringscope.names("transports"))
print(ringscope.run({"question": "does it run?", "cluster": "aws_p5", "library": "nccl_h100",
    "placement": {"hosts": 2, "on": "gpu"},
    "job": {"collective": "allgather", "algorithm": "nccl", "bytes": "64 MiB"}})[0].time_s > 0)
"""


class Installed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="ringscope-installed-")
        cls.addClassCleanup(cls.folder.cleanup)
        cls.prefix = pathlib.Path(cls.folder.name) / "prefix"
        subprocess.run(["cmake", "--install", BUILD, "--component", "Unspecified",
                        "--prefix", cls.prefix],
                       capture_output=True, check=True)
        (cls.packages,) = cls.prefix.glob("lib/python3*/dist-packages")

    def run_script(self, script, **more):
        environment = {"PATH": "/usr/bin:/bin", "PYTHONPATH": str(self.packages), **more}
        return subprocess.run([sys.executable, "-B", "-c", script], capture_output=True, text=True,
                              check=True, cwd=self.folder.name,
                              env=environment).stdout.splitlines()

    def test_installed_module_uses_its_own_files(self):
        module, data, time_s, panels, libraries = self.run_script(SCRIPT)
        self.assertTrue(module.startswith(str(self.prefix)), module)
        self.assertEqual(data, str(self.prefix / "share/ringscope"))
        self.assertGreater(float(time_s), 0)
        self.assertEqual((panels, int(libraries) > 0), ("2", True))

    def test_every_file_known_by_name_is_there(self):
        for below in ("scenarios", "topologies/clusters"):
            (sources, installed) = ({str(path.relative_to(root)) for path in
                                     (root / below).rglob("*.yaml")}
                                    for root in (pathlib.Path(), self.prefix / "share/ringscope"))
            self.assertEqual(installed, sources)
        self.assertEqual(self.run_script(NCCL), ["True", "True"])

    def test_the_fit_is_there(self):
        probes = sorted(pathlib.Path("validation/results/published").glob("*.probes.json"))[0]
        script = f"import ringscope; print(ringscope.calibrate({str(probes.resolve())!r}, " \
                 "bootstrap=5).parts().keys())"
        self.assertIn("cluster", self.run_script(script)[-1])

    def test_the_examples_of_its_page_run(self):
        page = pathlib.Path("python/README.md").read_text(encoding="utf-8")
        blocks = re.findall(r"```python\n(.*?)```", page, re.S)
        here = [block for block in blocks if "scheduler:" not in block]
        self.assertGreater(len(here), 1)
        self.assertTrue(self.run_script("\n".join(here)))

    def test_package_contains_type_marker(self):
        self.assertTrue((self.packages / "ringscope/py.typed").exists())


if __name__ == "__main__":
    BUILD = pathlib.Path(sys.argv.pop(1)).resolve()
    os.chdir(pathlib.Path(__file__).resolve().parent.parent)
    unittest.main()
