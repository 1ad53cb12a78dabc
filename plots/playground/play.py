# SPDX-License-Identifier: LGPL-2.1-or-later
"""Open the course: lessons that simulate in the browser.

The page needs no network.

Usage:
  ringscope play                      the first lesson
  ringscope play 03-anomaly           this lesson
  ringscope play -o course.html       copy the page, for a server or a USB stick
"""

import os
import pathlib
import re
import sys
import webbrowser

from common.programs import InputError, Parser, page_parser, run_main, write_bytes

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
# In an installed program, and in a clone
PAGES = (ROOT / "play/index.html", ROOT / "build/web/index.html")


def main():
    parser = page_parser("ringscope play", __doc__, Parser)
    parser.add_argument("lesson", nargs="?", help="name of a lesson (default: the first one)")
    parser.add_argument("-o", "--output", metavar="PAGE", help="copy the page to this file")
    words = parser.parse_args()
    page = next((path for path in PAGES if path.is_file()), None)
    if page is None:
        raise InputError("the page of the course is not built; run: scripts/web")
    content = page.read_bytes()
    if words.lesson and not re.search(f'"id": "{re.escape(words.lesson)}(-|")'.encode(), content):
        raise InputError(f"unknown lesson '{words.lesson}'; `ringscope list scenarios` prints the "
                         "names; names of lessons begin with a number")
    if words.output:
        return write_bytes(words.output, content)
    print(address := page.as_uri() + (f"#lesson={words.lesson}" if words.lesson else ""))
    if os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY") or sys.platform == "darwin":
        webbrowser.open(address)


if __name__ == "__main__":
    run_main(main)
