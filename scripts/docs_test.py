#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Does the site build, and are wrong pages, links and anchors told?

Usage: scripts/docs_test.py BUILD [SITE], where BUILD holds the program. SITE is a folder to keep
the built site in, for site_browser_test.py.
"""

import glob
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
from documents import links, pictures, site  # noqa: E402
from documents.sources import (  # noqa: E402
    PageError, Sources, executed, notebook_text, section)

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PAGE = '<main><h1 id="a">A</h1>{}</main>'


class Links(unittest.TestCase):
    def broken(self, body, style=""):
        with tempfile.TemporaryDirectory() as site:
            for name, text in (("x.html", PAGE.format(body)), ("sub/y.html", PAGE.format("")),
                               ("style.css", style)):
                path = os.path.join(site, name)
                os.makedirs(os.path.dirname(path), exist_ok=True)
                with open(path, "w", encoding="utf-8") as file:
                    file.write(text)
            return links.broken(site)

    def test_links_to_pages_and_anchors_that_are_there_are_fine(self):
        self.assertEqual(self.broken('<a href="sub/y.html#a"></a><a href="#a"></a>'
                                     '<a href="https://example.org/"></a>'), [])

    def test_a_link_to_nowhere_is_told(self):
        self.assertEqual(self.broken('<a href="z.html"></a>'),
                         ["x.html: link to 'z.html', which is not there"])

    def test_an_anchor_that_is_not_there_is_told(self):
        self.assertEqual(self.broken('<a href="sub/y.html#b"></a>'),
                         ["x.html: link to 'sub/y.html#b', but sub/y.html has no such anchor"])

    def test_external_resources_are_reported(self):
        self.assertEqual(self.broken('<script src="https://example.org/a.js"></script>'),
                         ["x.html: fetches 'https://example.org/a.js' from elsewhere"])
        self.assertEqual(self.broken("", "a { background: url(//example.org/a.png) }"),
                         ["style.css: fetches '//example.org/a.png' from elsewhere"])


class Words(unittest.TestCase):
    def test_the_search_has_headings_and_texts_without_marks_and_footers(self):
        with tempfile.TemporaryDirectory() as site:
            with open(os.path.join(site, "x.html"), "w", encoding="utf-8") as file:
                file.write('<nav>N</nav><main><h1 id="a">A<a class="headerlink">#</a></h1><p>b</p>'
                           '<h2 id="c">C</h2>d <a href="#a">e</a><footer>F</footer></main>')
            self.assertEqual(links.Page(site, "x.html").sections(),
                             [["A", "x.html#a", "A", "b"], ["A", "x.html#c", "C", "d e"]])


class SmallTree(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.root = place.name

    def write(self, name, text):
        path = os.path.join(self.root, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)


class Texts(SmallTree):
    """Pages of a small tree: docs/a.md, and other/b.md that stands outside of docs."""

    def setUp(self):
        super().setUp()
        self.write("docs/mkdocs.yml", "nav: [{A: sub/a.md}, {B: other/b.md}]")
        self.write("other/b.md", "# B\n\n## One\nsee [c](c.txt)\n\n## Two\n")
        self.write("other/c.txt", "c")

    def page(self, text):
        self.write("docs/sub/a.md", text)
        self.sources = Sources(self.root, "no program")
        return self.sources.text("sub/a.md")

    def test_links_lead_to_where_pages_and_files_stand_in_the_site(self):
        self.assertEqual(self.page("[b](../../other/b.md#one) [c](../../other/c.txt)"),
                         "[b](../other/b.md#one) [c](../files/other/c.txt.txt)\n")
        self.assertEqual(self.sources.files, {"other/c.txt"})

    def test_a_section_of_another_page_is_included_with_its_links(self):
        self.assertEqual(self.page("# A\n<!-- include: ../../other/b.md, One -->\n"),
                         "# A\nsee [c](../files/other/c.txt.txt)\n")

    def test_blocks_are_left_as_they_are(self):
        text = "```sh\n[x](nowhere)\n- a\n```\n"
        self.assertEqual(self.page(text), text)

    def test_a_list_behind_a_line_is_a_list(self):
        self.assertEqual(self.page("a:\n- b\n- c\n  d\n"), "a:\n\n- b\n- c\n  d\n")

    def test_a_notebook_is_a_page_of_its_cells(self):
        self.write("docs/mkdocs.yml", "nav: [{A: sub/a.md}, {N: sub/n.md}]")
        self.write("docs/sub/n.ipynb", json.dumps({"cells": [
            {"cell_type": "markdown", "source": ["# N\n", "[a](a.md)"]},
            {"cell_type": "code", "source": ["1 + 1"]}]}))
        self.assertEqual(self.page("[n](n.ipynb)"), "[n](n.md)\n")
        self.assertRegex(self.sources.text("sub/n.md"),
                         r"# N\n\[a\]\(a.md\)\n(.|\n)*```python\n1 \+ 1\n```\n")

    def test_a_notebook_page_has_prints_tables_and_pictures(self):
        outputs = [{"output_type": "stream", "name": "stdout", "text": "a\n"},
                   {"output_type": "stream", "name": "stderr", "text": "10 %"},
                   {"output_type": "stream", "name": "stdout", "text": "b\n"},
                   {"data": {"text/plain": "t",
                             "text/html": "<style>s</style>\n<table>\n\n</table>"}},
                   {"data": {"text/plain": "<Figure>", "image/png": "iVBO\n"}},
                   {"data": {"text/plain": "42"}}]
        text = notebook_text({"cells": [
            {"cell_type": "markdown", "source": "# N"},
            {"cell_type": "code", "source": "f()", "outputs": outputs}]}, "n")
        self.assertTrue(text.endswith(
            '```python\nf()\n```\n\n```text\na\nb\n```\n\n<table></table>\n\n'
            '<figure><img alt="" src="data:image/png;base64,iVBO"></figure>\n\n'
            '```text\n42\n```\n'), text)

    def test_a_notebook_is_executed_where_the_module_is(self):
        notebook = {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [
            {"cell_type": "code", "id": "a", "metadata": {}, "execution_count": None,
             "outputs": [], "source": ["import os\n", "print(os.environ['RINGSCOPE_DATA'])"]}]}
        program = os.path.join(self.root, "build", "ringscope")
        self.assertIs(executed(notebook, "data", program), notebook)
        if not all(map(importlib.util.find_spec, ("nbclient", "ipykernel"))):
            self.skipTest("python3-nbclient and python3-ipykernel are not installed")
        self.write("build/python/ringscope/__init__.py", "")
        self.write("build/ringscope", "")
        cell, = executed(notebook, "data", program)["cells"]
        self.assertEqual(cell["outputs"][0]["text"], "data\n")

    def test_a_wrong_link_is_told_with_its_place(self):
        with self.assertRaisesRegex(PageError, "docs/sub/a.md:2: expected a link to a file of the "
                                               "tree, got 'nowhere'"):
            self.page("# A\n[x](nowhere)\n")

    def test_a_section_that_is_not_there_is_told_with_its_place(self):
        with self.assertRaisesRegex(PageError, "docs/sub/a.md:1: other/b.md has no section 'Six'"):
            self.page("<!-- include: ../../other/b.md, Six -->\n")

    def test_a_section_ends_where_the_next_begins(self):
        self.assertEqual(section("# A\nb\n## C\nd\n", "A"), "b")


class Pictures(unittest.TestCase):
    def test_commands_for_pictures_include_those_that_write_their_files(self):
        text = ("```sh\nringscope run a --csv a.csv\nringscope run b --csv b.csv\n```\n"
                "```yaml c.yaml\nd: 1\n```\n"
                "```sh\nringscope plot a.csv \\\n  -o a.png\n```\n\n```text\ne\n```\n"
                "```sh\nringscope lesson c.yaml -o c.html\nringscope run a.csv\n```\n")
        found = pictures.needed(text)
        self.assertEqual([command for _, command in found],
                         ["ringscope run a --csv a.csv",
                          "cat >c.yaml <<'END_OF_FILE'\nd: 1\nEND_OF_FILE",
                          "ringscope plot a.csv -o a.svg", "ringscope lesson c.yaml -o c.html"])
        self.assertTrue(text[:found[2][0]].endswith("e\n```\n"), "below the screen")

    def test_text_without_commands_for_pictures_is_unchanged(self):
        with tempfile.TemporaryDirectory() as place:
            for text in ("# A\n```sh\nringscope run a\n```\n",
                         "```sh\nringscope plot a.csv -o a.pdf\n```\n"):
                self.assertEqual(pictures.add(text, "a", place, "/no/ringscope", place), text)

    def test_missing_picture_is_left_out(self):
        with tempfile.TemporaryDirectory() as place:
            text = "```sh\nringscope plot a.csv -o a.png\n```\n"
            self.assertEqual(pictures.add(text, "a", place, "/no/ringscope", place), text)


FAKE = """#!/bin/bash
while (($#)); do
  [[ $1 != -o ]] || echo "<p>made" >"$2"
  shift
done
"""


class Play(SmallTree):
    """The site of a small tree, with a program that writes something into every file."""

    def built(self):
        if shutil.which("mkdocs") is None:
            self.skipTest("mkdocs is not installed")
        shutil.copytree(os.path.join(ROOT, "docs", "theme"), os.path.join(self.root, "docs/theme"))
        self.write("docs/mkdocs.yml", text_of("docs/mkdocs.yml").partition("nav:")[0] +
                   "nav: [{A: index.md}, {B: how-to/b.md}]")
        self.write("docs/index.md", "# A\n```sh\nringscope plot a.csv -o a.png\n```\n")
        self.write("docs/how-to/b.md", "# B\n```sh\nringscope plot a.csv -o a.png\n"
                                       "ringscope lesson b -o b.html\n```\n[A](../index.md)\n")
        self.write("scenarios/lessons/one.yaml", "")
        self.write("build/ringscope", FAKE)
        program = os.path.join(self.root, "build", "ringscope")
        os.chmod(program, 0o755)
        made = os.path.join(self.root, "build", "site")
        site.build(self.root, program, made)
        return made

    def test_pictures_and_lesson_pages_are_below_their_commands(self):
        made = self.built()
        page = text_of(os.path.join(made, "how-to", "b.html"))
        self.assertRegex(page, r'(?s)</pre>\s*<figure><img src="../play/b-a.svg" alt="ringscope '
                               r'plot a.csv -o a.svg">.*<iframe src="../play/b-b.html".*<p><a')
        self.assertNotIn("<figure>", text_of(os.path.join(made, "index.html")))
        self.assertEqual(sorted(os.listdir(os.path.join(made, "play"))), ["b-a.svg", "b-b.html"])
        self.assertNotIn("Playground", page)

    def test_playground_that_is_built_is_in_the_navigation_with_all_lessons(self):
        self.write("build/web/index.html", "<p>playground")
        made = self.built()
        self.assertEqual(text_of(os.path.join(made, "play", "index.html")), "<p>playground")
        self.assertTrue(os.path.exists(os.path.join(made, "play", "one.html")))
        page = text_of(os.path.join(made, "how-to", "b.html"))
        self.assertIn('<a href="../play/index.html">Playground</a>', page)
        self.assertIn('<a href="../play/one.html">one</a>', page)


def text_of(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


class Pages(unittest.TestCase):
    def test_start_page_links_each_guide_of_the_navigation(self):
        guides = text_of("docs/mkdocs.yml").partition("- How to:\n")[2].partition("  - Ref")[0]
        start = text_of("docs/index.md")
        pages = re.findall(r": ([\w/-]+)\.md$", guides, re.M)
        self.assertGreater(len(pages), 10)
        for page in pages:
            with self.subTest(page):
                self.assertIn(f"{page}.", start)

    def test_page_of_the_report_names_each_block_and_last_line(self):
        page = text_of("docs/how-to/read-the-report.md")
        folder = "scenarios/answer/text"
        blocks = [words for name in ("print_run", "training_text") for words in
                  re.findall(r'"\\n  ([A-Z][^"\\({]+)', text_of(f"{folder}/{name}.cpp"))]
        lines = re.findall(r'"  ([A-Z][\w ]+): ', text_of(f"{folder}/print_run.cpp"))
        self.assertTrue(len(blocks) >= 8 and len(lines) >= 4, (blocks, lines))
        for words in blocks + lines:
            self.assertTrue(words.partition(",")[0].strip() in page, words)


    def test_page_of_the_algorithms_has_each_of_them(self):
        page = text_of("docs/reference/algorithms.md")
        printed = subprocess.run([os.path.join(BUILD, "ringscope"), "list", "algorithms"],
                                 capture_output=True, text=True, check=True,
                                 env={**os.environ, "RINGSCOPE_DATA": ROOT}).stdout
        rows = [line.split()[:2] for line in printed.splitlines()]
        self.assertGreater(len(rows), 80)
        for collective, name in rows:
            known = (f"`{name}`", f"{collective}/{name}`", f"{collective}/*`")
            self.assertTrue(any(words in page for words in known), f"{collective} {name}")


    def test_page_of_the_search_has_each_line_about_its_proof(self):
        page = text_of("docs/explanation/placement-search.md")
        heading = text_of("cli/commands/place_text.cpp").partition("std::string heading(")[2]
        for words in ("all of these were simulated: there is no better one",
                      "with free links between hosts the job would take",
                      "how much better one there may be is not known",
                      "no placement takes less than"):
            self.assertIn(words, heading.partition("\n}\n")[0])
            self.assertIn(words, page)

    def test_page_of_the_environment_has_each_variable_and_exit_code(self):
        page = text_of("docs/reference/environment-and-exit-codes.md")
        reads = r'(?:getenv|environ\.get|[^:]variable|environment\.has|environ\[)\(?"([A-Z_]+)"'
        found = set()
        for folder in ("cli", "common", "python", "topologies", "validation"):
            for path in glob.glob(os.path.join(ROOT, folder, "**", "*.*"), recursive=True):
                if path.endswith((".cpp", ".py")) and "test" not in path[len(ROOT):]:
                    found.update(re.findall(reads, text_of(path)))
        self.assertGreater(len(found), 15)
        self.assertEqual([name for name in sorted(found) if f"`{name}`" not in page], [])
        header = text_of("cli/terminal/failure.hpp")
        codes = re.search(r"enum class ExitCode[^{]*\{([^}]*)\}", header)[1]
        for code in re.findall(r"\d+", codes):
            self.assertRegex(page, rf"(?m)^\| {code} \|")


class Site(unittest.TestCase):
    def test_site_builds_with_every_page_of_docs(self):
        if shutil.which("mkdocs") is None:
            self.skipTest("mkdocs is not installed")
        with tempfile.TemporaryDirectory() as place:
            made = SITE or os.path.join(place, "site")
            ran = subprocess.run([os.path.join(ROOT, "scripts", "docs"), BUILD, "-o", made],
                                 capture_output=True, text=True,
                                 env={**os.environ, "RINGSCOPE_DATA": ROOT})
            self.assertEqual((ran.returncode, ran.stderr), (0, ""))
            for folder, _, names in os.walk(os.path.join(ROOT, "docs")):
                for name in names:
                    page = os.path.relpath(os.path.join(folder, name), os.path.join(ROOT, "docs"))
                    if page.endswith(".md"):
                        self.assertTrue(os.path.exists(os.path.join(made, links.html_of(page))),
                                        f"docs/{page} is not in docs/mkdocs.yml")
            for kind in ("Collectives", "Networks", "Schedules", "Traces", "Transports"):
                self.assertRegex(text_of(os.path.join(made, "names.html")), f">{kind}<")
            shown = text_of(os.path.join(made, "how-to", "draw-pictures.html")).count("<figure>")
            drawn = importlib.util.find_spec("matplotlib") is not None
            self.assertEqual(shown, 10 if drawn else 1)
            if glob.glob(os.path.join(BUILD, "python", "ringscope", "_core.*")) and all(
                    map(importlib.util.find_spec, ("nbclient", "ipykernel", "pandas"))):
                page = text_of(os.path.join(made, "notebooks", "where-do-i-put-my-ranks.html"))
                for words in ("mine 81.0 ms", "<table", "data:image/png;base64,"):
                    self.assertIn(words, page)


if __name__ == "__main__":
    BUILD = os.path.abspath(sys.argv.pop(1)) if len(sys.argv) > 1 else os.path.join(ROOT, "build")
    SITE = sys.argv.pop(1) if len(sys.argv) > 1 and "/" in sys.argv[1] else None
    unittest.main()
