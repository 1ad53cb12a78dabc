#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Does ARCHITECTURE.md tell of the sources as they are?"""

import os
import re
import unittest

import check_folders
import check_style

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
CPP = (".cpp", ".hpp", ".def")


def text_of(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


def section(title):
    return re.search(rf"^## {title}\n(.*?)(?=^## |\Z)", text_of("ARCHITECTURE.md"), re.M | re.S)[1]


def rows(title):
    """The cells of the section's table, without its head."""
    lines = [line for line in section(title).splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


def folders_in_order():
    """As the table lists them; after the first of a row a name may stand without its parent."""
    for cells in rows("Folders"):
        parent = ""
        for name in re.findall(r"`([^`]+)`", cells[0]):
            folder = name.rstrip("/")
            if not os.path.isdir(os.path.join(ROOT, folder)):
                folder = f"{parent}/{folder}"
            parent = os.path.dirname(folder)
            yield folder


def sources():
    return [path for path in check_style.project_files(ROOT) if path.endswith(CPP)]


class Architecture(unittest.TestCase):
    def test_architecture_page_is_short(self):
        self.assertLessEqual(text_of("ARCHITECTURE.md").count("\n"), 250)

    def test_each_name_of_that_life_stands_in_its_folder(self):
        for name, folder, _ in rows("The life of a message"):
            with self.subTest(name):
                word = name.strip("`")
                files = [path for path in sources()
                         if os.path.dirname(path) == folder.strip("`") and path.endswith(".hpp")]
                self.assertTrue(any(re.search(rf"\b{word}\b", text_of(path), re.I)
                                    for path in files))

    def test_each_rule_of_progress_is_tested(self):
        """A limit of the model is no rule: no test could hold it."""
        page = text_of("docs/explanation/messages-and-progress.md").partition("| rule |")[2]
        rules = re.findall(r"^\| (\d+) \|", page, re.M)
        self.assertEqual(rules, [str(number) for number in range(1, len(rules) + 1)])
        named = [re.findall(r"\d+", words) for path in sources()
                 if path.startswith("sim/tests/rules/")
                 for words in re.findall(r"^// Rules? (\d+(?: and \d+)*)[.:]", text_of(path), re.M)]
        self.assertEqual({number for words in named for number in words}, set(rules))

    def test_every_folder_of_cpp_files_is_listed_once(self):
        listed = list(folders_in_order())
        held = {os.path.dirname(path) for path in sources()
                if not check_folders.FOR_TESTS.search(path)}
        self.assertEqual(sorted(held - set(listed)), [])
        self.assertEqual(len(listed), len(set(listed)))

    def test_folders_include_only_what_is_listed_before_them(self):
        place = {folder: number for number, folder in enumerate(folders_in_order())}
        for path in sources():
            if check_folders.FOR_TESTS.search(path):
                continue
            folder = self.listed(path, place)
            for name in check_folders.INCLUDE.findall(text_of(path)):
                if os.path.exists(os.path.join(ROOT, name)):
                    with self.subTest(f"{path} includes {name}"):
                        self.assertLessEqual(place[self.listed(name, place)], place[folder])

    def test_only_tests_include_what_is_named_for_tests(self):
        for path in sources():
            if not check_folders.FOR_TESTS.search(path):
                for name in check_folders.INCLUDE.findall(text_of(path)):
                    with self.subTest(f"{path} includes {name}"):
                        self.assertIsNone(check_folders.FOR_TESTS.search(name))

    @staticmethod
    def listed(path, place):
        folder = os.path.dirname(path)
        while folder and folder not in place:
            folder = os.path.dirname(folder)
        assert folder, f"{path} is in no folder that ARCHITECTURE.md lists"
        return folder

    def test_the_browsers_build_has_all_folders_that_its_own_include(self):
        """Without emscripten nothing else says so: its link would be the first to fail."""
        page = text_of("cli/web/emscripten/CMakeLists.txt")
        families = re.search(r"foreach\(folder (verbs [\w\s]+)\)", page)[1].split()
        rest = re.findall(r"(?:folder_of_objects\(|foreach\(folder )((?:[a-z]+(?:/[a-z_]+)*\s*)+)",
                          page)
        built = {f"algorithms/{name}" for name in families}
        built |= {name for words in rest for name in words.split() if "/" in name}
        built |= {"algorithms", "topologies", "sim"}
        # without_files.cpp stands for them.
        in_place = {"nccl/logs", "scenarios/schedule", "scenarios/trace"}
        left_out = re.search(r'EXCLUDE REGEX "([^"]*simgrid[^"]*)"', page)[1]
        left_out = left_out.replace("\\\\", "\\")  # as CMake reads it
        for path in sources():
            if os.path.dirname(path) not in built or check_folders.FOR_TESTS.search(path) or \
                    re.search(left_out, path.replace(".hpp", ".cpp")):
                continue
            for name in check_folders.INCLUDE.findall(text_of(path)):
                compiled = os.path.exists(os.path.join(ROOT, re.sub(r"\.hpp$", ".cpp", name)))
                with self.subTest(f"{path} includes {name}"):
                    self.assertTrue(not compiled or os.path.dirname(name) in built | in_place)

    def test_every_path_that_it_names_is_there(self):
        for page in ("ARCHITECTURE.md", "README.md", "docs/reference/files-to-edit.md"):
            for path in re.findall(r"`((?:algorithms|topologies|nccl|scenarios|sim|validation|"
                                   r"plots|cli|scripts|benchmarks)/[\w./]*)`", text_of(page)):
                if not re.search(r"/x\.cpp$|_x\.cpp$|/NAME", path):
                    with self.subTest(f"{page}: {path}"):
                        self.assertTrue(os.path.exists(os.path.join(ROOT, path)))


if __name__ == "__main__":
    unittest.main()
