#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Do the Containerfile and the Spack recipe say what CMake and scripts/install_packages say?

Neither docker nor Spack is needed: both files are read. Least versions are those of Debian 12, on
which all tests run; they are compared where dpkg-query is.
"""

import ast
import fnmatch
import json
import os
import re
import shutil
import subprocess
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
# Names of one library: CMake's, Spack's, and the package of Debian whose version is the least.
LIBRARIES = {
    "PkgConfig": ("pkgconfig", None), "fmt": ("fmt", "libfmt-dev"),
    "yaml-cpp": ("yaml-cpp", "libyaml-cpp-dev"),
    "nlohmann_json": ("nlohmann-json", "nlohmann-json3-dev"), "CLI11": ("cli11", "libcli11-dev"),
    "Boost": ("boost", "libboost-graph1.74-dev"), "pugixml": ("pugixml", "libpugixml-dev"),
    "QD_LIBRARY": ("qd", "libqd-dev"), "SimGrid": ("simgrid", "libsimgrid-dev"),
    "hwloc": ("hwloc", "libhwloc-dev"), "ZLIB": ("zlib", "zlib1g-dev"),
    "SQLite3": ("sqlite", "libsqlite3-dev"),
    "SCOTCH_LIBRARY": ("scotch", "libscotch-dev"),
    "OpenSSL": ("openssl", "libssl-dev"), "Python3": ("python", "python3"),
    "pybind11": ("py-pybind11", "pybind11-dev"), "MPI": ("mpi", None),
}
OF_THE_SYSTEM = {"Threads", "SCOTCHERR_LIBRARY", "CUDAToolkit", "NCCL_LIBRARY", "other_mpi",
                 "RINGSCOPE_OTHER_MPI_LIBRARY"}
FOR_TESTS = {"GTest", "benchmark"}
# Ours among published data.
OF_OURS = (".md", "first_outcomes.csv", "everywhere.json", "h100_split.yaml", "msccl_first.csv",
           "msccl_fitted.csv")
SEARCH = re.compile(r"^\s*(?:find_package|pkg_check_modules|find_library)\((\S+?)[ )]", re.M)


def text_of(*path):
    with open(os.path.join(ROOT, *path), encoding="utf-8") as file:
        return file.read()


def searched():
    """Names of all that CMake looks for."""
    names = set()
    for folder, folders, files in os.walk(ROOT):
        folders[:] = [name for name in folders if not name.startswith((".", "build"))
                      and name not in ("example", "emscripten")]
        if "CMakeLists.txt" in files:
            names.update(SEARCH.findall(text_of(folder, "CMakeLists.txt")))
    return names


class SpackRecipe(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        tree = ast.parse(text_of("scripts/packages/spack/packages/ringscope/package.py"))
        (cls.recipe,) = [node for node in tree.body if isinstance(node, ast.ClassDef)]
        cls.calls = [node.value for node in cls.recipe.body
                     if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)]

    def said(self, function):
        """[(first argument, {keyword: value})] of the recipe's calls of this function."""
        return [(ast.literal_eval(call.args[0]),
                 {word.arg: ast.literal_eval(word.value) for word in call.keywords})
                for call in self.calls if call.func.id == function]

    def least_versions(self):
        """{package: its least version, or ""}"""
        return {re.match(r"[\w-]+", spec)[0]: (re.search(r"@([\d.]+):", spec) or ["", ""])[1]
                for spec, _ in self.said("depends_on")}

    def test_recipe_depends_on_all_packages_of_cmake(self):
        wanted = {LIBRARIES[name][0] for name in searched() - OF_THE_SYSTEM - FOR_TESTS}
        self.assertEqual(set(self.least_versions()) - {"cmake"}, wanted)

    def test_its_version_is_cmakes(self):
        version = re.search(r"project\(ringscope VERSION ([\d.]+)", text_of("CMakeLists.txt"))[1]
        self.assertEqual([name for name, _ in self.said("version")], [version])

    def test_its_cmake_is_the_one_that_is_asked_for(self):
        least = re.search(r"cmake_minimum_required\(VERSION ([\d.]+)", text_of("CMakeLists.txt"))[1]
        self.assertEqual(self.least_versions()["cmake"], least)

    @unittest.skipIf(shutil.which("dpkg-query") is None, "no Debian")
    def test_least_versions_are_those_that_are_tested(self):
        debian = dict(LIBRARIES.values())
        for name, least in self.least_versions().items():
            if debian.get(name) is None:
                continue
            found = subprocess.run(["dpkg-query", "-W", "-f", "${Version}", debian[name]],
                                   capture_output=True, text=True)
            if found.returncode == 0:
                with self.subTest(name):
                    self.assertRegex(found.stdout, rf"^(\d+:)?{re.escape(least)}[.-]")

    def test_options_that_it_sets_are_cmakes(self):
        options = set(re.findall(r"^option\((\w+)", text_of("CMakeLists.txt"), re.M))
        strings = [node.value for node in ast.walk(self.recipe) if isinstance(node, ast.Constant)]
        named = {text for text in strings if isinstance(text, str)
                 and re.fullmatch(r"RINGSCOPE_\w+", text)}
        self.assertEqual(named - options, set())
        self.assertIn("RINGSCOPE_TESTS", named)

    def test_each_condition_is_a_variant(self):
        variants = {f"+{name}" for name, _ in self.said("variant")}
        conditions = {words["when"] for _, words in self.said("depends_on") if "when" in words}
        self.assertEqual(conditions, variants)


class Container(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        text = re.sub(r"^#.*\n", "", text_of("scripts/packages/Containerfile"), flags=re.M)
        cls.steps = [tuple(line.split(" ", 1))
                     for line in text.replace("\\\n", "").splitlines() if line]

    def rest_of(self, word):
        return [rest for first, rest in self.steps if first == word]

    def test_container_has_two_stages_on_debian_12(self):
        self.assertEqual(self.rest_of("FROM"), ["debian:12 AS build", "debian:12"])

    def test_packages_are_those_of_the_demo_installed_before_the_sources_come(self):
        install = [number for number, (_, rest) in enumerate(self.steps)
                   if "scripts/install_packages demo" in rest]
        sources = self.steps.index(("COPY", ". /usr/src/ringscope"))
        self.assertEqual(len(install), 1)
        self.assertLess(install[0], sources)
        self.assertEqual(self.steps[install[0] - 1], (
            "COPY",
            "scripts/install_packages /usr/src/ringscope/scripts/install_packages"))

    def test_container_runs_the_demos_first_case(self):
        words = json.loads(self.rest_of("ENTRYPOINT")[0]) + json.loads(self.rest_of("CMD")[0])
        self.assertEqual(words, ["ringscope", "compare", "03-anomaly"])
        self.assertIn("$ringscope compare 03-anomaly", text_of("scripts/demo"))

    def test_the_package_that_it_installs_is_the_one_that_cpack_makes(self):
        made = re.search(r"ringscope_package\(Unspecified (\w+)$",
                         text_of("scripts/packages/debian.cmake"), re.M)[1]
        copied = [rest for rest in self.rest_of("COPY") if rest.startswith("--from=build ")]
        self.assertEqual(copied, [f"--from=build /tmp/build/{made}_*.deb /tmp/"])

    def test_the_preset_that_it_builds_is_there(self):
        presets = [one["name"] for one in json.loads(text_of("CMakePresets.json"))
                   ["configurePresets"]]
        (named,) = re.findall(r"--preset (\S+)", " ".join(self.rest_of("RUN")))
        self.assertIn(named, presets)


class DebianPackages(unittest.TestCase):
    def test_page_of_the_installation_lists_each_with_its_contents(self):
        made = re.findall(r"^ *ringscope_package\(\w+ (\S+)$",
                          text_of("scripts/packages/debian.cmake"), re.M)
        rows = dict(re.findall(r"^\| `([\w-]+)` \| (.*) \|$", text_of("docs/index.md"), re.M))
        self.assertEqual(sorted(rows), sorted(made))
        self.assertIn("find_package(ringscope)", rows["libringscope-dev"])


class ThirdParty(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.page = text_of("THIRD_PARTY.md")
        cls.rows = [[cell.strip() for cell in line.strip("|").split("|")]
                    for line in cls.page.splitlines() if line.startswith("| ")]

    def test_each_library_that_cmake_searches_has_a_row(self):
        listed = {name for row in self.rows for name in re.findall(r"`([\w-]+)`", row[1])}
        self.assertEqual(searched() - listed, set())

    def test_each_folder_of_foreign_data_is_listed(self):
        for folder in ("topologies/machines", "topologies/fabrics", "scenarios/schedules",
                       "scenarios/traces", "validation/published", "validation/tune/formats"):
            self.assertIn(f"({folder}/README.md)", self.page)
        published = os.path.join(ROOT, "validation/published")
        patterns = re.findall(r"`(validation/published/\S+)`", self.page)
        for name in os.listdir(published) + [f"nccl/{name}" for name in os.listdir(
                os.path.join(published, "nccl")) if not name.startswith("LICENCE")]:
            if not name.endswith(OF_OURS) and name != "nccl":
                self.assertTrue(any(fnmatch.fnmatch(f"validation/published/{name}", one)
                                    for one in patterns), name)

    def test_page_of_the_playground_names_what_is_compiled_in(self):
        page = text_of("plots/playground/page.html")
        compiled = [row for row in self.rows if re.search(r"page: (headers )?compiled in|, page:",
                                                          row[-1])]
        self.assertGreaterEqual(len(compiled), 9)
        for name, *_ in compiled:
            word = {"JSON for Modern C++": "nlohmann/json"}.get(name, re.split(r"[ ,]", name)[0])
            self.assertTrue(word.strip("{}") in page, name)


if __name__ == "__main__":
    unittest.main()
