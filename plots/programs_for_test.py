# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs plots one after the other in one process.

Usage: python3 -m plots.programs_for_test [[PLOT, WORD, ...], ...], which is JSON
"""

import importlib
import json
import sys

from common import style


def run(plot):
    """As the program of that plot with the words in sys.argv."""
    module = importlib.import_module(f"plots.{plot}")
    style.run(getattr(module, "main", lambda: style.write(plot, module.figure_of, module.__doc__)))


if __name__ == "__main__":
    for words in json.loads(sys.argv[1]):
        sys.argv = words
        run(words[0])
