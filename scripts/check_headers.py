#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Does every header include what it uses?

Names of std: a table says which header declares each; the header that uses one includes it, or a
header of ours that does. All other names: a compiler reads each header alone. It does so with the
precompiled headers of a build, which hide missing headers of std but take half the time away.

Usage: check_headers.py [--without FOLDER]... [--part I/N] COMPILER AND FLAGS
"""

import argparse
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import cache, partial

from check_style import code_only, project_files

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
INCLUDE = re.compile(r'^#include ([<"])([^>"]+)[>"]', re.M)
NAME = re.compile(r"\bstd::(?:ranges::|views::|chrono::|filesystem::|numbers::)*(\w+)")
# Any header that declares a container declares these, too.
EVERYWHERE = set(
    "size_t ptrdiff_t nullptr_t move forward pair swap size begin end less byte".split())
DECLARED = {
    "algorithm": "max min max_element min_element minmax find find_if sort stable_sort remove_if "
                 "push_heap pop_heap make_heap stable_partition count count_if lower_bound "
                 "upper_bound is_sorted any_of all_of none_of reverse copy fill transform",
    "array": "array", "atomic": "atomic",
    "bit": "bit_width bit_cast bit_ceil bit_floor countr_zero popcount",
    "charconv": "from_chars to_chars", "cmath": "abs floor log2 exp2 ceil sqrt",
    "chrono": "steady_clock system_clock duration milliseconds", "concepts": "integral",
    "condition_variable": "condition_variable condition_variable_any",
    "coroutine": "coroutine_handle noop_coroutine suspend_always suspend_never",
    "cstdint": "uint64_t int64_t uint32_t int32_t uint16_t uint8_t uintptr_t",
    "cstdio": "FILE fread", "cstdlib": "getenv realloc free", "deque": "deque",
    "exception": "exception exception_ptr rethrow_exception current_exception terminate",
    "filesystem": "path remove temp_directory_path", "fstream": "ifstream ofstream",
    "functional": "function greater hash reference_wrapper",
    "initializer_list": "initializer_list",
    "limits": "numeric_limits", "list": "list", "map": "map multimap",
    "memory": "shared_ptr unique_ptr make_shared make_unique weak_ptr",
    "mutex": "mutex recursive_mutex lock_guard scoped_lock unique_lock", "new": "bad_alloc",
    "numeric": "accumulate iota", "optional": "optional nullopt", "queue": "priority_queue queue",
    "random": "mt19937_64 uniform_real_distribution", "set": "set multiset", "span": "span",
    "sstream": "istringstream ostringstream",
    "stdexcept": "runtime_error invalid_argument logic_error length_error out_of_range",
    "string": "string to_string stoi stoll stoull getline", "string_view": "string_view",
    "system_error": "error_code system_error errc", "thread": "thread jthread stop_token",
    "tuple": "tuple tie", "type_traits": "is_same_v remove_reference_t is_const_v is_enum_v "
    "is_trivially_copyable_v is_aggregate_v decay_t conditional_t",
    "unordered_map": "unordered_map", "unordered_set": "unordered_set", "utility": "exchange",
    "variant": "variant get visit", "vector": "vector",
}
HOLDERS = {name: header for header, names in DECLARED.items() for name in names.split()}
# Headers that bring others with them in every library: what the standard says, or C++ with C.
BRINGS = {"string": ["string_view", "initializer_list"], "thread": ["stop_token"],
          "map": ["initializer_list"], "vector": ["initializer_list"],
          "stdexcept": ["string", "string_view", "exception"], "cmath": [], "new": ["exception"],
          "filesystem": ["string", "string_view", "system_error"], "coroutine": ["type_traits"],
          "charconv": ["system_error"],
          "condition_variable": ["mutex", "chrono"], "functional": ["type_traits"],
          "memory": ["type_traits"], "tuple": ["utility"], "algorithm": ["utility"],
          "sstream": ["string", "string_view"], "fstream": ["string", "string_view"]}


@cache
def includes_of(path):
    """[(bracket, name)] of a header of ours; none of what is not in the tree."""
    full = os.path.join(ROOT, path)
    if not os.path.exists(full):
        return []
    with open(full, encoding="utf-8") as file:
        return INCLUDE.findall(file.read())


def reached(path):
    """Headers of std that a header of ours includes, directly or by others of ours."""
    found, seen, open_ = set(), {path}, [path]
    while open_:
        for bracket, name in includes_of(open_.pop()):
            if bracket == "<":
                found |= {name, *BRINGS.get(name, [])}
            elif name not in seen:
                seen.add(name)
                open_.append(name)
    return found


def missing(header, text, found):
    """Complaints about names of std whose headers are not among `found`."""
    names = set(NAME.findall(code_only(text))) - EVERYWHERE
    for name in sorted(names):
        holder = HOLDERS.get(name)
        if holder is None:
            yield f"{header}: unknown name std::{name}: add its header to scripts/check_headers.py"
        elif holder not in found:
            yield f"{header}: std::{name} needs #include <{holder}>"


def complaints(header, compiler):
    with open(os.path.join(ROOT, header), encoding="utf-8") as file:
        found = list(missing(header, file.read(), reached(header)))
    command = [*compiler, "-std=c++20", "-fsyntax-only", f"-I{ROOT}", "-include",
               os.path.join(ROOT, header), "-x", "c++", os.devnull]
    ran = subprocess.run(command, capture_output=True, text=True)
    if ran.returncode:
        found.append(f"{header} does not compile alone:\n{ran.stderr}")
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--without", action="append", default=[], metavar="FOLDER",
                        help="omit a folder whose library is missing")
    parser.add_argument("--part", default="1/1", metavar="I/N",
                        help="check every Nth header, from the Ith on")
    parser.add_argument("compiler", nargs=argparse.REMAINDER, help="a compiler and its flags")
    asked = parser.parse_args()
    headers = [path for path in project_files(ROOT)
               if path.endswith(".hpp") and not path.startswith(tuple(asked.without))]
    first, step = map(int, asked.part.split("/"))
    headers = headers[first - 1::step]
    threads = os.cpu_count() if step == 1 else 1  # parts run beside each other
    with ThreadPoolExecutor(threads) as pool:
        check = partial(complaints, compiler=asked.compiler)
        found = [text for texts in pool.map(check, headers) for text in texts]
    print("\n".join(found) or f"{len(headers)} headers compile alone")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
