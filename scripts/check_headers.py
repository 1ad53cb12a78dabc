#!/usr/bin/python3
"""Does every header compile alone, in the folders whose libraries are there?"""

import argparse
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import partial

from check_style import project_files

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def complaints(header, compiler):
    command = [*compiler, "-std=c++20", "-fsyntax-only", f"-I{ROOT}", "-include",
               os.path.join(ROOT, header), "-x", "c++", os.devnull]
    ran = subprocess.run(command, capture_output=True, text=True)
    return f"{header} does not compile alone:\n{ran.stderr}" if ran.returncode else ""


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--without", action="append", default=[], metavar="FOLDER",
                        help="leave out a folder whose library is not there")
    parser.add_argument("compiler", nargs=argparse.REMAINDER, help="a compiler and its flags")
    asked = parser.parse_args()
    headers = [path for path in project_files(ROOT)
               if path.endswith(".hpp") and not path.startswith(tuple(asked.without))]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        check = partial(complaints, compiler=asked.compiler)
        found = [text for text in pool.map(check, headers) if text]
    print("\n".join(found) or f"{len(headers)} headers compile alone")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
