# SPDX-License-Identifier: LGPL-2.1-or-later
"""The pages of the site from their sources: parts of others included, links made to fit."""

import importlib.util
import json
import os
import pathlib
import re
import tempfile

import yaml

from packages.help_pages import help_of, output_of, subcommands

LINK = re.compile(r"(\]\()([^)\s]+)(\))")
INCLUDE = re.compile(r"^<!-- include: (\S+), (.+) -->$")
FENCE = re.compile(r"^(```+)(\S*)")
ITEM = re.compile(r"(- |\d+\. )")


class PageError(Exception):
    """A page that cannot be built, with its place."""


def nav_pages(nav):
    """The pages of mkdocs.yml's nav, in order."""
    for entry in nav:
        (value,) = entry.values()
        if isinstance(value, str):
            yield value
        else:
            yield from nav_pages(value)


def section(text, title):
    """The lines below a heading, until the next one."""
    found = re.search(rf"^#+ {re.escape(title)}\n(.*?)(?=^#+ |\Z)", text, re.MULTILINE | re.DOTALL)
    return found and found[1].strip("\n")


class Sources:
    """Pages that the site is made of: of docs/, of the rest of the tree, and generated ones."""

    def __init__(self, root, program):
        self._root = root
        self.config = yaml.safe_load(self.read("docs/mkdocs.yml"))
        self.pages = list(nav_pages(self.config["nav"]))
        self._generated = {"commands.md": commands_page, "names.md": names_page}
        self._program = program
        self._page_of = {self.source_of(page): page for page in self.pages}
        self._page_of["README.md"] = "index.md"
        self.files = set()  # of the tree, that pages link to

    def source_of(self, page):
        """Where a page's text stands in the tree; pages of docs/ are at the top of the site."""
        own = os.path.join("docs", page)
        notebook = own[:-3] + ".ipynb"
        if os.path.exists(self.path(notebook)):
            return notebook
        return own if page in self._generated or os.path.exists(self.path(own)) else page

    def path(self, name):
        return os.path.join(self._root, name)

    def read(self, source):
        return pathlib.Path(self.path(source)).read_text(encoding="utf-8")

    def text(self, page, changed=lambda text: text):
        """The page as mkdocs takes it, from its source as `changed` returns it."""
        if page in self._generated:
            return self._generated[page](self._program, self._root)
        source = self.source_of(page)
        text = self.read(source)
        if source.endswith(".ipynb"):
            text = notebook_text(executed(json.loads(text), self._root, self._program), source)
        return self._rewritten(changed(text), source, page)

    def _rewritten(self, text, source, page):
        written = []
        fence = None
        for number, line in enumerate(text.splitlines(), 1):
            mark = FENCE.match(line)
            if fence:
                fence = None if line.startswith(fence) else fence
            elif mark:
                fence = mark[1]
                line = mark[1] + mark[2]  # what follows the language is ours, and no Markdown
            elif included := INCLUDE.match(line):
                line = self._included(included, f"{source}:{number}", source, page)
            else:
                if ITEM.match(line) and written and written[-1] and \
                        not (ITEM.match(written[-1]) or written[-1].startswith(" ")):
                    written.append("")
                line = LINK.sub(lambda link: self._link(link, f"{source}:{number}", source, page),
                                line)
            written.append(line)
        return "\n".join(written) + "\n"

    def _included(self, include, place, source, page):
        name = os.path.normpath(os.path.join(os.path.dirname(source), include[1]))
        if not os.path.exists(self.path(name)):
            raise PageError(f"{place}: expected a file to include, got '{include[1]}'")
        found = section(self.read(name), include[2])
        if found is None:
            raise PageError(f"{place}: {name} has no section '{include[2]}'")
        return self._rewritten(found, name, page).rstrip("\n")

    def _link(self, link, place, source, page):
        target, mark, anchor = link[2].partition("#")
        if not target or re.match(r"[a-z]+:", target):
            return link[0]
        name = os.path.normpath(os.path.join(os.path.dirname(source), target))
        if name in self._page_of:
            name = self._page_of[name]
        elif os.path.isfile(self.path(name)):
            self.files.add(name)
            name = file_page(name)
        else:
            raise PageError(f"{place}: expected a link to a file of the tree, got '{target}'")
        relative = os.path.relpath(name, os.path.dirname(page) or ".")
        return link[1] + relative + mark + anchor + link[3]


def file_page(name):
    """The place of a source that a page links to; .txt, so that a browser shows it."""
    return os.path.join("files", name + ".txt")


def executed(notebook, root, program):
    """A notebook with its outputs; as it is where it cannot run, which another test tells."""
    module = os.path.join(os.path.dirname(program), "python")
    known = all(map(importlib.util.find_spec, ("nbclient", "ipykernel")))
    if not (known and os.path.isfile(program) and os.path.isdir(module)):
        return notebook
    os.environ["PYDEVD_DISABLE_FILE_VALIDATION"] = "1"  # ipykernel warns of its debugger
    import nbclient
    import nbformat
    made = nbformat.reads(json.dumps(notebook), as_version=4)
    with tempfile.TemporaryDirectory() as place:
        client = nbclient.NotebookClient(made, timeout=300, kernel_name="python3",
                                         allow_errors=True, resources={"metadata": {"path": place}})
        client.execute(env={**os.environ, "RINGSCOPE_DATA": root, "PYTHONPATH": module})
    return made


def output_text(output):
    """An output of a cell as Markdown: a picture, a table, or text."""
    data = output.get("data", {})
    if "image/png" in data:
        picture = data["image/png"].strip()
        return f'<figure><img alt="" src="data:image/png;base64,{picture}"></figure>'
    if "text/html" in data:
        return re.sub(r"<style.*?</style>|\n\s*", "", data["text/html"], flags=re.DOTALL)
    text = output.get("text", "") if output.get("name") != "stderr" else ""
    text = (text or data.get("text/plain", "")).rstrip()
    return f"```text\n{text}\n```" if text else ""


def notebook_text(notebook, source):
    """A notebook's cells as Markdown, with their outputs."""
    cells = []
    for cell in notebook["cells"]:
        text = "".join(cell["source"])
        cells.append(text if cell["cell_type"] == "markdown" else f"```python\n{text}\n```")
        shown = "\n\n".join(filter(None, map(output_text, cell.get("outputs", []))))
        cells += [shown.replace("\n```\n\n```text\n", "\n")] if shown else []  # parts of one print
    cells.insert(1, f"This page is the notebook `{source}`, which Jupyter opens and runs.")
    return "\n\n".join(cells) + "\n"


def commands_page(program, _):
    """The reference of the commands, from their --help."""
    lines = ["# Commands", "", "After this page you can use each option of a command. Each section "
             "is the `--help` of one command.", *screen(help_of(program, columns=96))]
    for name, summary in subcommands(program).items():
        lines += [f"## {name}", "", summary + ".", *screen(help_of(program, name, columns=96))]
    return "\n".join(lines)


def screen(text):
    return ["", "```text", text.rstrip(), "```", ""]


def listed(program, root, *kind):
    return output_of([program, "list", *kind], RINGSCOPE_DATA=root)


def names_page(program, root):
    """The reference of the names, from `ringscope list`."""
    lines = ["# Names", "", "After this page you can use the built-in names in a scenario. Each "
             "section is the output of `ringscope list`. `ringscope compare NAME` answers the "
             "question of a scenario.", ""]
    for kind in (line.split()[0] for line in listed(program, root).splitlines()):
        lines += [f"## {kind.replace('_', ' ').capitalize()}",
                  *screen(listed(program, root, kind))]
    return "\n".join(lines)
