# SPDX-License-Identifier: LGPL-2.1-or-later
"""Rules that only all sources together can break: folders do not include each other in a ring, and
none holds more C++ files than a reader takes in.

At each depth a folder's files and its subfolders are the nodes, and the files that stand directly
in it are one node, ".". Tests may look up: they are no part of what others build on.
"""

import collections
import os
import re

MOST_FILES = 25
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"([^"\n]+)"', re.MULTILINE)
FOR_TESTS = re.compile(r"(^|/)testing/|_test\.(cpp|py)$|_for_test\.(hpp|py)$")


def nodes(source, target):
    """The folder in which the ways to both part, and the entries of it by which they go on."""
    ways = source.split("/"), target.split("/")
    depth = len(os.path.commonprefix([way[:-1] for way in ways]))
    ends = [way[depth] if depth < len(way) - 1 else "." for way in ways]
    return "/".join(ways[0][:depth]), *ends


def includes_of(path, text, sources):
    """(line, path) of all of `sources` that a C++ file includes."""
    for found in INCLUDE.finditer(text):
        if found[1] in sources:
            yield text.count("\n", 0, found.start()) + 1, found[1]


def edges_of(sources, includes):
    """By folder: (entry, entry) -> one "path:line" of each pair, and what it includes."""
    edges = collections.defaultdict(dict)
    for path, text in sorted(sources.items()):
        if FOR_TESTS.search(path):
            continue
        for line, included in includes(path, text, sources):
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


def rings(sources, includes=includes_of):
    for folder, edges in sorted(edges_of(sources, includes).items()):
        for (source, target), (place, included) in edges.items():
            if source in reached_from(target, edges):
                yield (f"{place}: closes a ring of folders in {folder or 'the project'}: {source} "
                       f"includes {target} ({included}), which includes {source}")


def crowds(sources):
    files = collections.Counter(
        os.path.dirname(path) for path in sources if path.endswith((".cpp", ".hpp")))
    for folder, count in sorted(files.items()):
        if count > MOST_FILES:
            yield f"{folder}:1: {count} C++ files, at most {MOST_FILES} allowed: sort by concept"


def breaches_of(sources):
    """`sources`: the text of each C++ file by its path below the root."""
    return [*rings(sources), *crowds(sources)]
