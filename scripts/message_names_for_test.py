#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Counts the names that a reader meets on the path of an eager message.

The walk begins at each function that calls `Mpi::begin_send`, and passes every function of sim/mpi
that a body passed calls, hands on (as a callback, say) or overrides. Of sim/machine it passes what
sim/mpi calls, one body deep; elsewhere it enters no body. Functions, classes and files named for
another protocol (rendezvous, stream, multicast) are not passed. A name is a type of this project
that an expression in a body passed has, `auto` resolved, aliases by their target, enumerations too.

By hand: scripts/message_names_for_test.py [--list] [--most N] [ROOT]. Needs Debian's python3-clang.
"""

import argparse
import collections
import glob
import os
import re
import sys

try:
    from clang import cindex
    from clang.cindex import CursorKind as Kind
    from clang.cindex import TypeKind
except ImportError as error:
    print(f"SKIP message_names: {error}; install python3-clang")
    sys.exit(77)

BEGIN = "Mpi::begin_send"
CALLERS, HOME, NEXT = "sim/ranks", "sim/mpi", "sim/machine"
OTHER_PROTOCOLS = re.compile("rendezvous|stream|multicast", re.IGNORECASE)
FUNCTIONS = (Kind.FUNCTION_DECL, Kind.CXX_METHOD, Kind.FUNCTION_TEMPLATE, Kind.CONSTRUCTOR,
             Kind.DESTRUCTOR, Kind.CONVERSION_FUNCTION)
CLASSES = (Kind.CLASS_DECL, Kind.STRUCT_DECL, Kind.CLASS_TEMPLATE,
           Kind.CLASS_TEMPLATE_PARTIAL_SPECIALIZATION)
POINTERS = (TypeKind.POINTER, TypeKind.LVALUEREFERENCE, TypeKind.RVALUEREFERENCE)
ARRAYS = (TypeKind.CONSTANTARRAY, TypeKind.INCOMPLETEARRAY)
Function = collections.namedtuple("Function", "name path folder cursor")


def template_of(cursor):
    """The template of an instance; of anything else the cursor itself."""
    template = cindex.conf.lib.clang_getSpecializedCursorTemplate(cursor)
    return template if template and template.kind != Kind.NO_DECL_FOUND else cursor


def name_of(cursor):
    """The cursor's name with those of the classes around it, without namespaces."""
    names = [cursor.spelling]
    while (cursor := cursor.semantic_parent) and cursor.kind in CLASSES:
        names.insert(0, cursor.spelling)
    return "::".join(names)


class Sources:
    """All functions and classes of some folders."""

    def __init__(self, root, folders):
        self.root = os.path.abspath(root)
        self.functions = {}  # by USR; those with a body
        self.overriders = collections.defaultdict(list)  # USRs by base class and signature
        self.units = [self.parse(folder) for folder in folders]
        for unit in self.units:
            self.collect(unit.cursor)

    def parse(self, folder):
        files = sorted(glob.glob(f"{self.root}/{folder}/*.cpp"))
        text = "".join(f'#include "{file}"\n' for file in files if not file.endswith("_test.cpp"))
        name = folder.replace("/", "_") + ".cpp"  # local names differ within a folder only
        unit = cindex.Index.create().parse(name, ["-std=c++20", f"-I{self.root}"],
                                           unsaved_files=[(name, text)])
        errors = [str(one) for one in unit.diagnostics if one.severity >= one.Error]
        if errors or not text:
            sys.exit("\n".join(errors) or f"{folder}:1: no C++ files")
        return unit

    def path_of(self, cursor):
        """Below the root; empty for what lies elsewhere."""
        file = cursor.location.file
        inside = file and file.name.startswith(self.root + "/")
        return os.path.relpath(file.name, self.root) if inside else ""

    def collect(self, parent):
        for cursor in parent.get_children():
            path = self.path_of(cursor)
            if path and (cursor.kind == Kind.NAMESPACE or cursor.kind in CLASSES):
                self.collect(cursor)
            elif path and cursor.kind in FUNCTIONS:
                if cursor.is_definition():
                    self.functions.setdefault(cursor.get_usr(), Function(
                        name_of(cursor), path, os.path.dirname(path), cursor))
                for base in self.bases_of(cursor.semantic_parent):
                    self.overriders[base, cursor.displayname].append(cursor.get_usr())

    def bases_of(self, cursor):
        for child in cursor.get_children() if cursor.kind in CLASSES else ():
            if child.kind == Kind.CXX_BASE_SPECIFIER:
                base = template_of(child.type.get_canonical().get_declaration())
                yield base.get_usr()
                yield from self.bases_of(base.get_definition() or base)

    def targets_of(self, cursor):
        """Functions with a body that an expression in the cursor calls or names."""
        for one in cursor.walk_preorder():
            called = one.referenced if one.kind.is_expression() else None
            if called is not None and called.kind in FUNCTIONS and self.path_of(called):
                called = template_of(called)
                around = called.semantic_parent.get_usr()
                for usr in (called.get_usr(), *self.overriders[around, called.displayname]):
                    if usr in self.functions:
                        yield usr

    def types_of(self, cursor):
        """Declarations of this project's types that expressions in the cursor have."""
        for one in cursor.walk_preorder():
            if not one.kind.is_expression() and one.kind != Kind.VAR_DECL:
                continue
            kind = one.type.get_canonical()
            while kind.kind in POINTERS + ARRAYS:
                kind = kind.get_pointee() if kind.kind in POINTERS else kind.element_type
            declared = kind.get_declaration()
            if declared.spelling and "(" not in declared.spelling and self.path_of(declared):
                yield template_of(declared)


def walk(sources):
    """USRs of the functions passed."""
    begin = {usr for usr, one in sources.functions.items() if one.name == BEGIN}
    queue = [usr for usr, one in sources.functions.items()
             if one.folder == CALLERS and begin.intersection(sources.targets_of(one.cursor))]
    if not queue:
        sys.exit(f"{CALLERS}:1: nothing calls {BEGIN}, where the path of a message begins")
    passed = set(queue)
    while queue:
        source = sources.functions[queue.pop()]
        for usr in [] if source.folder == NEXT else sources.targets_of(source.cursor):
            target = sources.functions[usr]
            if usr not in passed and target.folder in (HOME, NEXT) and \
                    not OTHER_PROTOCOLS.search(target.path + " " + target.name):
                passed.add(usr)
                queue.append(usr)
    return passed


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--list", action="store_true", help="print the names and functions too")
    parser.add_argument("--most", type=int, metavar="N", help="fail if there are more names")
    parser.add_argument("root", nargs="?", default=os.path.join(os.path.dirname(__file__), ".."))
    asked = parser.parse_args()
    sources = Sources(asked.root, (CALLERS, HOME, NEXT))
    passed, names = [sources.functions[usr] for usr in walk(sources)], {}
    for one in passed:
        for declared in sources.types_of(one.cursor):
            names[declared.get_usr()] = os.path.dirname(sources.path_of(declared)), declared
    for title, rows in (("names", [(folder, name_of(one)) for folder, one in names.values()]),
                        ("functions", [(one.folder, one.name) for one in passed])):
        for folder in sorted({folder for folder, _ in rows}) if asked.list else ():
            print(f"{title} of {folder}:", *sorted({name for at, name in rows if at == folder}))
    print(f"{len(names)} names in {len(passed)} functions on the path of an eager message")
    if asked.most is not None and len(names) > asked.most:
        print(f"at most {asked.most} allowed: --list prints them")
        sys.exit(5)


if __name__ == "__main__":
    main()
