# SPDX-License-Identifier: LGPL-2.1-or-later
"""Commands and screens that pages show, and a tree to run them in."""

import os
import re
import shutil
import subprocess

# Tested otherwise, or about getting and leaving the source tree.
ELSEWHERE = re.compile(r"(sudo )?(scripts/(demo|test|build|docs)|git|cd|cmake --install)\b")
LEFT_OUT = "..."  # a line of a screen: any number of lines


def blocks(text, language):
    """[(line number of the opening fence, the block's text)]"""
    found = []
    for block in re.finditer(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        found.append((text.count("\n", 0, block.start()) + 1, block[1]))
    return found


def commands_of(block, first_line):
    """[(line number, command)] with continued lines joined, without prompts and comments."""
    found = []
    joined = ""
    for number, line in enumerate(block.splitlines(), first_line):
        joined += re.sub(r"^\$ ", "", line.strip())
        if joined.endswith("\\"):
            joined = joined[:-1]
            continue
        command, joined = joined, ""
        if command and not command.startswith("#") and not ELSEWHERE.match(command):
            found.append((number, command))
    return found


def commands(text):
    """[(line number, command)] of all `sh` blocks."""
    return [command for fence, block in blocks(text, "sh")
            for command in commands_of(block, fence + 1)]


def steps(text):
    """[(line number, command, screen or None)] in the order of the page.

    A `text` block shows what the last command of the `sh` block before it prints; what stands
    between the two is prose. A `yaml NAME` block is a file, written by a command of its own.
    """
    found = []
    for block in re.finditer(r"^```(sh|text|(?:yaml|python) \S+)\n(.*?)^```$", text,
                             re.MULTILINE | re.DOTALL):
        line = text.count("\n", 0, block.start()) + 2
        if block[1] == "sh":
            found += [(number, command, None) for number, command in commands_of(block[2], line)]
        elif block[1] == "text":
            if not found or found[-1][2] is not None:
                raise ValueError(f"line {line}: a screen without a command before it")
            found[-1] = (*found[-1][:2], block[2])
        else:
            name = block[1].split()[1]
            found.append((line, f"cat >{name} <<'END_OF_FILE'\n{block[2]}END_OF_FILE", None))
    return found


def bare(text):
    """Without blanks at line ends and empty lines around: editors and fences change those."""
    return "\n".join(line.rstrip() for line in text.splitlines()).strip("\n")


def shows(screen, printed):
    """Whether the screen is what was printed, but for what its lines `...` stand for."""
    parts = [re.escape(part.strip("\n")) for part in
             re.split(rf"^{re.escape(LEFT_OUT)}$", bare(screen), flags=re.MULTILINE)]
    return re.fullmatch(r"(?:.*\n)?".join(f"(?:{part}\n)" if part else "" for part in parts),
                        bare(printed) + "\n", re.DOTALL) is not None


NOT_TEXT = shutil.ignore_patterns(".git", "build*", "out")


class Tree:
    """A folder of links to the tree's text and the build: commands write into it alone."""

    def __init__(self, root, build, place):
        self.path = os.path.join(place, "ringscope")
        os.mkdir(self.path)
        names = os.listdir(root)
        for name in set(names) - NOT_TEXT(root, names):
            os.symlink(os.path.join(root, name), os.path.join(self.path, name))
        os.mkdir(os.path.join(self.path, "out"))
        os.symlink(build, os.path.join(self.path, "build"))
        self._environment = {**os.environ, "RINGSCOPE_DATA": self.path,
                             "PYTHONPATH": os.path.join(build, "python"),
                             "PATH": f"{build}:{os.environ['PATH']}"}

    def run(self, command):
        return subprocess.run(["bash", "-euc", command], cwd=self.path, env=self._environment,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=120)
