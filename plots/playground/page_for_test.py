# SPDX-License-Identifier: LGPL-2.1-or-later
"""For tests of the playground: is its page there, and as new as its sources?"""

import pathlib
import shutil
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
WEB = ROOT / "build/web"
PAGE = WEB / "index.html"
FOLDERS = ("algorithms", "topologies", "nccl", "scenarios", "sim", "cli/web", "plots/playground",
           "plots/lesson")
ENDINGS = {".cpp", ".hpp", ".def", ".js", ".css", ".html", ".json", ".yaml"}


def newest_source():
    """Path and time of the source that changed last: tests and their data are none."""
    files = [path for folder in FOLDERS for path in (ROOT / folder).rglob("*")
             if path.suffix in ENDINGS and "test" not in path.stem and "screens" not in path.parts]
    return max(((path, path.stat().st_mtime) for path in files), key=lambda found: found[1])


def skip_without_page(*programs):
    """Ends with 77, which ctest takes as skipped, where a program or a current page is missing."""
    reason = ""
    for program in programs:
        if not shutil.which(program):
            reason = f"no {program}: run scripts/install_packages all"
    if not reason and not PAGE.exists():
        reason = "no build/web/index.html: run scripts/web first"
    if not reason:
        path, changed = newest_source()
        if changed > PAGE.stat().st_mtime:
            reason = f"{path.relative_to(ROOT)} is newer than the page: run scripts/web first"
    if reason:
        print(f"SKIP playground: {reason}")
        sys.exit(77)
