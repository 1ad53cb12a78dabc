# SPDX-License-Identifier: LGPL-2.1-or-later
"""Absolute paths of one machine in tracked text files, and dead relative links of Markdown.

Folders of every Debian pass, and so do the invented names of tests: /no, /none, /nowhere. A line
with the comment "any path" passes, too.
"""

import contextlib
import os
import pathlib
import re
import subprocess

# Text that a path may not continue: a word, a folder, a variable, another string.
BEFORE = r"(?<![\w.$)\]}>~@*%+/-])(?<!\+ [\"'])"
SYSTEM = "bin|dev|etc|proc|run|sys|tmp|usr|var"
PRIVATE = re.compile(
    rf"{BEFORE}/(?:(?:home|root|work)(?![\w.-])|(?!(?:{SYSTEM}|no|none|nowhere)/)"
    r"[A-Za-z_][\w.+-]*/\w)[^\s\"'`,;:()<>]*")
LINK = re.compile(r"\]\((?![a-z]+:|#)([^)\s#]+)")
ALLOWED = re.compile(r"(?:#|//|<!--) any path\b")


def paths_in(text):
    """(line, path) of each path of one machine."""
    for number, line in enumerate(text.splitlines(), 1):
        if not ALLOWED.search(line):
            for found in PRIVATE.finditer(line):
                yield number, found[0]


def dead_links(folder, text):
    """(line, target) of each relative link outside of code that leads to no file from `folder`."""
    is_code = False
    for number, line in enumerate(text.splitlines(), 1):
        is_code ^= line.lstrip().startswith("```")
        for target in LINK.findall("" if is_code else line):
            if not os.path.exists(os.path.join(folder, target)):
                yield number, target


def tracked_texts(root):
    """{path: text} of the files that git tracks below root; nothing outside a repository."""
    listed = subprocess.run(["git", "-C", root, "ls-files", "-z"], capture_output=True, text=True,
                            check=False)
    texts = {}
    for path in filter(None, listed.stdout.split("\0")):
        # Binary; deleted and not yet staged
        with contextlib.suppress(UnicodeDecodeError, FileNotFoundError):
            texts[path] = pathlib.Path(root, path).read_text(encoding="utf-8")
    return texts


def breaches_of(root, texts):
    """Breaches in `texts` and in all tracked files: "path:line: what is wrong"."""
    all_texts = sorted({**tracked_texts(root), **texts}.items())
    return [f"{path}:{line}: a path of one machine: {found}"
            for path, text in all_texts for line, found in paths_in(text)] + \
        [f"{path}:{line}: dead link: {target}"
         for path, text in all_texts if path.endswith(".md")
         for line, target in dead_links(os.path.join(root, os.path.dirname(path)), text)]
