#!/usr/bin/python3
"""Does every header compile alone? Usage: scripts/check_headers.py COMPILER [FLAG]..."""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

from check_style import project_files

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def complaints(header):
    command = [*sys.argv[1:], "-std=c++20", "-fsyntax-only", f"-I{ROOT}", "-include",
               os.path.join(ROOT, header), "-x", "c++", os.devnull]
    ran = subprocess.run(command, capture_output=True, text=True)
    return f"{header} does not compile alone:\n{ran.stderr}" if ran.returncode else ""


def main():
    headers = [path for path in project_files(ROOT) if path.endswith(".hpp")]
    if not any(flag.startswith("-isystem") for flag in sys.argv):  # the caller knows of no MPI
        headers = [path for path in headers if not path.startswith("validation/mpi/")]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        found = [text for text in pool.map(complaints, headers) if text]
    print("\n".join(found) or f"{len(headers)} headers compile alone")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
