# SPDX-License-Identifier: LGPL-2.1-or-later
"""The program's words as its --help prints them: subcommands, and the options of each."""

import os
import re
import subprocess

OTHER_HEADINGS = ("Positionals", "Options", "Examples")
# Data of a release's program, which has none beside it before it is installed.
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def output_of(words, **environment):
    """Output of a command in an environment of these variables, PATH and LC_ALL alone."""
    return subprocess.run(words, capture_output=True, text=True, check=True, env={
        "PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", **environment}).stdout


def help_of(program, *subcommand, columns=200):
    return output_of([program, *subcommand, "--help"], COLUMNS=str(columns), RINGSCOPE=program,
                     RINGSCOPE_DATA=ROOT)


def groups_of(text):
    """{heading: {name: summary}} of the subcommands in a program's help, in its order."""
    found = re.findall(r"^(\S.*):\n((?:  \S.*\n)+)", text, re.MULTILINE)
    return {heading: dict(re.findall(r"^  (\S+) +(.+)$", rows, re.MULTILINE))
            for heading, rows in found if heading not in OTHER_HEADINGS}


def subcommands(program):
    """{name: summary}, in the order of the help."""
    return {name: summary for group in groups_of(help_of(program)).values()
            for name, summary in group.items()}


def options(text):
    """Names that begin with a dash, in their order, without those that only a sentence names."""
    found = []
    for line in re.findall(r"^ +(-.*)$", text, re.MULTILINE):
        words = re.split(r"  +", line)[0]
        found += [name for name in re.findall(r"(?:^|[ ,])(--?[\w-]+)", words.split("Excl")[0])
                  if name not in found]
    return found
