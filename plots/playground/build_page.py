#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Puts the playground together: one file with the program, its data and all scripts inside.

Usage: plots/playground/build_page.py FOLDER PAGE [LESSONS], where FOLDER holds simulator.js and
simulator.wasm, and LESSONS a lecturer's own lessons and their course.yaml. The same sources give
the same bytes. Prints the size as a server sends it.
"""

import base64
import gzip
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import course

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
HERE = ROOT / "plots/playground"
LESSON = ROOT / "plots/lesson"
# Folders of the YAML files that scenarios name, as in ask.js.
DATA = ("scenarios", "topologies/clusters")
UNSHOWN = re.compile("scenarios/(models|libraries|transports|studies|servers)/")
MOST_BYTES = 1_200_000  # what a first visit may load, compressed


def data_files(own):
    """{path: text} of every YAML file that the program can be asked for by name. Comments of
    models and profiles, which the page does not show, are empty: lines keep their numbers."""
    paths = {str(path.relative_to(ROOT)): path
             for folder in DATA for path in sorted((ROOT / folder).rglob("*.yaml"))}
    paths |= {f"scenarios/lessons/{path.name}": path for path in sorted(own.glob("*.yaml"))
              if path.name != "course.yaml"}
    texts = {name: course.without_lesson(path.read_text(encoding="utf-8"))
             for name, path in paths.items()}
    return {name: re.sub("^#.*$", "#", text, flags=re.M) if UNSHOWN.match(name) else text
            for name, text in texts.items()}


def sources():
    """{path: text} of the algorithms, for the page that shows their lines; not of those that
    perform a program from a file.
    """
    paths = [path for folder in ("algorithms", "nccl")
             for path in sorted((ROOT / folder).rglob("*.[ch]pp"))
             if not path.stem.endswith("_test")]
    files = {str(path.relative_to(ROOT)): path.read_text(encoding="utf-8") for path in paths}
    return {path: text for path, text in files.items() if "co_await" in text and
            not re.match(r"algorithms/(loopback|programs|schedules|traces)/", path)}


def packed(content):
    """As text that a page can hold: gzip in Ascii85, with "v" for "<". zopfli leaves a twentieth
    less than zlib at its best, Ascii85 a sixteenth less than base64.
    """
    with tempfile.NamedTemporaryFile() as file:
        file.write(content)
        file.flush()
        words = ["zopfli", "--i5", "-c", file.name]
        done = subprocess.run(words, stdout=subprocess.PIPE, check=True)
    return base64.a85encode(done.stdout).replace(b"z", b"!!!!!").replace(b"<", b"v").decode()


def part(path):
    """Text of a script or style sheet without indents and lines of comments: one notice is
    for all."""
    text = re.sub(r"\A/\* SPDX-.*\n", "", path.read_text(encoding="utf-8"))
    if path.suffix != ".js":
        return text
    return re.sub(r"^ *((//.*|/\*\*(.|\n)*?\*/) *\n)?", "", text, flags=re.MULTILINE)


def scripts(template):
    """The scripts that the template names, one a line, in the order in which they run."""
    names = re.search(r"<!-- scripts:(.*?)-->", template, re.S)[1].split()
    return "".join(part((HERE if (HERE / name).exists() else LESSON) / name) for name in names)


def page_of(folder, own):
    template = (HERE / "page.html").read_text(encoding="utf-8")
    parts = {
        "/* style */": part(LESSON / "style.css") + part(HERE / "playground.css"),
        "<!-- loader -->": packed((folder / "simulator.js").read_bytes()),
        "<!-- program -->": packed((folder / "simulator.wasm").read_bytes()),
        "<!-- files -->": packed(json.dumps({**data_files(own), **sources()}).encode()),
        # Within a script element nothing may look like its end, or like the start of a comment.
        "<!-- lessons -->": json.dumps(course.lessons(own)).replace("<", "\\u003c"),
    }
    page = re.sub(r"<!-- scripts:.*?-->",
                  lambda _: f'<script>\n"use strict";\n{scripts(template)}</script>', template,
                  count=1, flags=re.S)
    for mark, text in parts.items():
        if page.count(mark) != 1:
            sys.exit(f"build_page: page.html has no place, or several, for '{mark}'")
        page = page.replace(mark, text)
    return page


def main():
    folder, path, own = map(pathlib.Path, (*sys.argv[1:], course.HERE)[:3])
    content = page_of(folder, own).encode()
    beside = path.with_name(path.name + ".new")
    beside.write_bytes(content)
    os.replace(beside, path)
    sent = len(gzip.compress(content, 9))
    print(f"{path}: {len(content):,} bytes, {sent:,} as a server sends them")
    if sent > MOST_BYTES:
        sys.exit(f"build_page: a first visit may load {MOST_BYTES:,} bytes")


if __name__ == "__main__":
    main()
