#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Does every header include what it uses? Prints each name as path:line: uses NAME, ...

A header includes the declaration of each name that it uses, directly or by other headers of ours:
names of std by a table, names of other libraries by the folder of their headers, and names of ours
by the headers that declare them at namespace scope. Read as text: nothing is compiled.
"""

import os
import pathlib
import re
import sys

import yaml

from check_style import project_files
from header_names_for_test import HeaderNames

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
INCLUDE = re.compile(r'^#include ([<"])([^>"]+)[>"]', re.M)
INSIDE_STD = {"std", "ranges", "views", "chrono", "filesystem", "numbers"}  # namespaces
TABLES = yaml.safe_load(pathlib.Path(ROOT, "scripts/headers.yaml").read_text(encoding="utf-8"))
HOLDERS = {name: header for header, names in TABLES["declared"].items() for name in names}
BRINGS, EVERYWHERE = TABLES["brings"], TABLES["everywhere"]
FOREIGN = [(re.compile(names), begins) for names, begins in TABLES["foreign"].items()]


class Headers:
    """All headers of a tree, given as {path: text}, with what else they include."""

    def __init__(self, sources):
        self.includes = {path: INCLUDE.findall(text) for path, text in sources.items()}
        self.names = {path: HeaderNames(text) for path, text in sources.items()}
        self.declaring, self.announcing = {}, {}  # name -> {(namespace, header)}
        for path, names in self.names.items():
            for found, kept in ((names.declared, self.declaring), (names.forward, self.announcing)):
                for name, spaces in found.items():
                    kept.setdefault(name, set()).update((space, path) for space in spaces)
        self.namespaces = {part for kept in (self.declaring, self.announcing)
                           for places in kept.values() for space, _ in places
                           for part in space.split("::")}

    def reached(self, path):
        """Headers that one includes, directly or by others of ours: ours with itself; others."""
        ours, others, open_ = {path}, set(), [path]
        while open_:
            for bracket, name in self.includes.get(open_.pop(), []):
                if bracket == "<":
                    others |= {name, *BRINGS.get(name, [])}
                elif name not in ours:
                    ours.add(name)
                    open_.append(name)
        return ours & self.names.keys(), others

    def inherits(self, names, name, reached):
        """Whether a class of a reached header has a member of this name, and its members use it."""
        return any(name in self.names[one].own and names.inside & self.names[one].declared.keys()
                   for one in reached)

    def lacks_ours(self, path, at, chain, reached):
        """Complaint about a name of ours that no header reached declares, or None."""
        names = self.names[path]
        depth = next((depth for depth, part in enumerate(chain[:-1])
                      if part not in self.namespaces), len(chain) - 1)
        name = chain[depth]
        if name not in self.declaring or depth == 0 and (
                name in names.own or names.declares(at) or self.inherits(names, name, reached)):
            return None
        around = names.namespace(at).split("::")
        visible = {"::".join(filter(None, around[:outer] + chain[:depth]))
                   for outer in range(len(around) + 1)}
        holders = {header for space, header in self.declaring[name] if space in visible}
        # Arguments choose a function's namespace.
        found = holders if name[0].isupper() else {one for _, one in self.declaring[name]}
        if not holders or found & reached:
            return None
        announced = any(space in visible and header in reached
                        for space, header in self.announcing.get(name, ()))
        if announced and not names.needs_definition(at + 2 * depth):
            return None
        shown = "::".join(chain[:depth + 1])
        return f"uses {'the definition of ' * announced}{shown}, " \
            f"which {' or '.join(sorted(holders))} declares; include it"

    def lacks_foreign(self, chain, ours, others):
        """Complaint about a name of another library that no header reached declares, or None."""
        shown = "::".join(chain)
        begins = next((begins for names, begins in FOREIGN if names.match(shown)), None)
        if begins is None or any(name.startswith(tuple(begins)) for name in others) or \
                any(space == chain[0] and header in ours
                    for space, header in self.announcing.get(chain[-1], ())):
            return None
        return f"uses {shown}, which <{begins[0]}...> declares; include it"

    def missing(self, path):
        """(line, complaint) of each name whose declaration one header does not include."""
        ours, others = self.reached(path)
        seen = {None}
        for at, chain in self.names[path].uses():
            found = lacks_std(chain, others) if chain[0] == "std" else \
                self.lacks_foreign(chain, ours, others) or \
                self.lacks_ours(path, at, chain, ours)
            if found not in seen:
                seen.add(found)
                yield self.names[path].line(at), found


def lacks_std(chain, others):
    """Complaint about a name of std whose header is not among `others`, or None."""
    name = next((part for part in chain if part not in INSIDE_STD), None)
    if name is None or name in EVERYWHERE or HOLDERS.get(name) in others:
        return None
    if name not in HOLDERS:
        return f"unknown name std::{name}: add its header to scripts/headers_for_test.py"
    return f"uses std::{name}, which <{HOLDERS[name]}> declares; include it"


def complaints(sources):
    """All complaints about a tree of {path: text} as "path:line: what is wrong"."""
    headers = Headers(sources)
    return [f"{path}:{line}: {what}" for path in sorted(sources)
            for line, what in headers.missing(path)]


def main():
    sources = {path: pathlib.Path(ROOT, path).read_text(encoding="utf-8")
               for path in project_files(ROOT) if path.endswith((".hpp", ".cuh"))}
    found = complaints(sources)
    print("\n".join(found) or f"{len(sources)} headers include what they use")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
