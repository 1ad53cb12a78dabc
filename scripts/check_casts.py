# SPDX-License-Identifier: LGPL-2.1-or-later
"""Casts to std::size_t, which may only become fewer: containers take ids and ints as they are.

All spellings count, and each call of a helper whose body is only such a cast, from the files of its
folder and those below. Typed literals, std::size_t{0}, are no casts.
"""

import collections
import os
import re

from check_folders import FOR_TESTS

MOST_CASTS = 1609  # to become 150; lower it whenever some go
SIZE = r"(?:std::)?\bsize_t"
CAST = re.compile(rf"static_cast<{SIZE}>\(|\b{SIZE}[({{](?![\d)}}]|int |const )"
                  rf"|(?<!\w)\({SIZE}\)(?=[\w(])")
HELPER = re.compile(rf"\b(\w+)\([^(){{}};]*\)[\w\s]*\{{\s*return (?:static_cast<{SIZE}>|{SIZE})"
                    r"[({][\w.]+[)}];\s*\}")


def casts_in(sources):
    """By top folder; `sources`: C++ without comments and strings, by path below the root."""
    helpers, casts = collections.defaultdict(set), collections.Counter()
    for path, code in sources.items():
        helpers[os.path.dirname(path)].update(HELPER.findall(code))
    for path, code in sources.items():
        names = "|".join(name for folder, known in sorted(helpers.items())
                         for name in sorted(known) if path.startswith(folder + "/"))
        calls = re.findall(rf"(?<![\w.>:])(?<!size_t )(?:{names})\(", code) if names else []
        if not FOR_TESTS.search(path):
            casts[path.split("/")[0]] += len(CAST.findall(code)) + len(calls)
    return casts


def breaches_of(sources, most=MOST_CASTS):
    casts = casts_in(sources)
    if casts.total() > most:
        folders = ", ".join(f"{count} in {folder}" for folder, count in sorted(casts.items()))
        yield (f"scripts/check_casts.py:1: {casts.total()} casts to std::size_t ({folders}), "
               f"at most {most} allowed: use a container that takes an id, or an int, as its index")
