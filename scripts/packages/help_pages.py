"""The program's words as its --help prints them: subcommands, and the options of each."""

import os
import re
import subprocess

# Data of a release's program, which has none beside it before it is installed.
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def help_of(program, *subcommand, columns=200):
    return subprocess.run([program, *subcommand, "--help"], capture_output=True, text=True,
                          check=True, env={"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8",
                                           "COLUMNS": str(columns), "RINGSCOPE": program,
                                           "RINGSCOPE_DATA": ROOT}).stdout


def subcommands(program):
    """{name: summary}, in the order of the help."""
    listed = help_of(program).split("\nSubcommands:\n")[1].split("\n\n")[0]
    return dict(re.findall(r"^  (\S+) +(.+)$", listed, re.MULTILINE))


def options(text):
    """Names that begin with a dash, in their order, without those that only a sentence names."""
    found = []
    for line in re.findall(r"^ +(-.*)$", text, re.MULTILINE):
        words = re.split(r"  +", line)[0]
        found += [name for name in re.findall(r"(?:^|[ ,])(--?[\w-]+)", words.split("Excl")[0])
                  if name not in found]
    return found
