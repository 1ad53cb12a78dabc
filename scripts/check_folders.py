# SPDX-License-Identifier: LGPL-2.1-or-later
"""Rules that only all sources together can break: folders do not include each other in a ring, and
none holds more C++ files than a reader takes in.

At each depth a folder's files and its subfolders are the nodes, and the files that stand directly
in it are one node, ".". Tests may look up: they are no part of what others build on. A Python
module's imports are its includes.
"""

import ast
import collections
import os
import re

MOST_FILES = 25
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"([^"\n]+)"', re.MULTILINE)
FOR_TESTS = re.compile(r"(_test\.(cpp|py)|_cases\.hpp|_for_test\.(hpp|py)|_samples\.hpp)$")
PACKAGES = ("", "python")  # folders of Python's packages, beside the module's own
# Rings that are left to open, by folder: none of C++, and in the end none.
LEFT = {"validation/doctor": {".", "causes"},
        "validation": {".", "fit", "imports", "nccl", "overlap", "training", "verdict"},
        "validation/tune": {".", "formats"}}


def nodes(source, target):
    """The folder in which the ways to both part, and the entries of it by which they go on."""
    ways = source.split("/"), target.split("/")
    depth = 0
    while depth < min(map(len, ways)) - 1 and ways[0][depth] == ways[1][depth]:
        depth += 1
    ends = [way[depth] if depth < len(way) - 1 else "." for way in ways]
    return "/".join(ways[0][:depth]), *ends


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


def includes_of(path, text, sources):
    if path.endswith((".cpp", ".hpp", ".def")):
        for found in INCLUDE.finditer(text):
            if found[1] in sources:
                yield text.count("\n", 0, found.start()) + 1, found[1]
    else:
        yield from imports_of(path, text, sources)


def edges_of(sources):
    """By folder: (entry, entry) -> one "path:line" of each pair, and what it includes."""
    edges = collections.defaultdict(dict)
    for path, text in sorted(sources.items()):
        if FOR_TESTS.search(path):
            continue
        for line, included in includes_of(path, text, sources):
            folder, source, target = nodes(path, included)
            if source != target:
                edges[folder].setdefault((source, target), (f"{path}:{line}", included))
    return edges


def reached_from(start, edges):
    seen, queue = set(), [start]
    while queue:
        at = queue.pop()
        new = {target for source, target in edges if source == at} - seen
        seen |= new
        queue += new
    return seen


def rings(sources, left):
    for folder, edges in sorted(edges_of(sources).items()):
        for (source, target), (place, included) in edges.items():
            if {source, target} <= left.get(folder, set()):
                continue
            if source in reached_from(target, edges):
                yield (f"{place}: closes a ring of folders in {folder or 'the project'}: {source} "
                       f"includes {target} ({included}), which includes {source} in turn")


def crowds(sources):
    files = collections.Counter(
        os.path.dirname(path) for path in sources if path.endswith((".cpp", ".hpp")))
    for folder, count in sorted(files.items()):
        if count > MOST_FILES:
            yield f"{folder}:1: {count} C++ files, at most {MOST_FILES} allowed: sort by concept"


def breaches_of(sources, left=LEFT):
    """`sources`: the text of each file of C++ and Python by its path below the root."""
    return [*rings(sources, left), *crowds(sources)]
