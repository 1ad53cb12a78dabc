# SPDX-License-Identifier: LGPL-2.1-or-later
"""Builds the Python module by CMake, and puts it and the project's data into the wheel."""

import os
import pathlib
import re
import subprocess

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

ROOT = pathlib.Path(__file__).resolve().parent


class BuiltByCMake(build_ext):
    def build_extension(self, ext):
        wheel = pathlib.Path(self.get_ext_fullpath(ext.name)).resolve().parent
        build = pathlib.Path(self.build_temp).resolve() / "cmake"
        subprocess.run(["cmake", "-G", "Ninja", "-S", ROOT, "-B", build,
                        "-DCMAKE_UNITY_BUILD=ON", "-DRINGSCOPE_TESTS=OFF",
                        "-DRINGSCOPE_BENCHMARKS=OFF"], check=True)
        subprocess.run(["cmake", "--build", build, "--target", "ringscope", "ringscope_python"],
                       check=True)
        # Data lie below the module's own folder: bin/ and share/ are of the package alone.
        subprocess.run(["cmake", "--install", build, "--component", "Unspecified",
                        "--prefix", wheel], check=True,
                       env={**os.environ, "RINGSCOPE_WHEEL": ".."})


def version():
    text = (ROOT / "CMakeLists.txt").read_text(encoding="utf-8")
    return re.search(r"project\(ringscope VERSION ([\d.]+)", text)[1]


# Where the presets build, too: nothing is written among the sources.
BUILD = ROOT / "build" / "wheel"
BUILD.mkdir(parents=True, exist_ok=True)
setup(version=version(), ext_modules=[Extension("ringscope._core", [])],
      cmdclass={"build_ext": BuiltByCMake},
      options={"build": {"build_base": str(BUILD)}, "egg_info": {"egg_base": str(BUILD)}})
