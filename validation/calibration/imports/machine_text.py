# SPDX-License-Identifier: LGPL-2.1-or-later
"""Descriptions of hosts and networks as people paste them: what `import` removes or joins before
import-machine and import-fabric read them."""

import re
import textwrap

from validation.calibration.imports.source import Source
from validation.yaml_files import tables_of

PROMPT, QUOTED, LABEL, HEAD, NAME, ROW, CELL = (
    re.compile("".join(one)) for one in tables_of(__file__).values())


def cleaned(source: Source) -> str:
    lines = [QUOTED.sub("", one) for one in of_one_host(source.lines) if not PROMPT.match(one)]
    return textwrap.dedent("\n".join(matrix_joined(lines)) + "\n")


def of_one_host(lines: list) -> list:
    """Those of the first label, where several hosts print the same."""
    found: dict = {}
    for line in lines:
        label = LABEL.match(line)
        found.setdefault(label and label[1], []).append(line[label.end():] if label else line)
    first, *others = found.values()
    return first if others and None not in found and others.count(first) == len(others) else lines


def matrix_joined(lines: list) -> list:
    """The matrix of nvidia-smi with its rows on one line each, which a terminal broke."""
    begin = next((at for at, line in enumerate(lines) if HEAD.match(line)), len(lines))
    end = next((at for at in range(begin, len(lines)) if not lines[at].strip() and
                not any(map(ROW.match, lines[at + 1:at + 2]))), len(lines))
    longest = max(map(len, lines[begin:end]), default=0)
    for width in range(longest, longest + 8):  # blanks at the ends of all lines may be lost
        whole = joined(lines[begin:end], width)
        names = [row.split()[0] for row in whole[1:]]
        if names == NAME.findall("".join(whole[:1])) and all(
                len(CELL.findall(row)) == len(names) for row in whole[1:]):
            return lines[:begin] + whole + lines[end:]
    return lines


def joined(pieces: list, width: int) -> list:
    whole: list = []
    for at, piece in enumerate(pieces):
        if at == 0 or ROW.match(piece):
            whole.append(piece)
        else:
            whole[-1] += " " * (width - len(pieces[at - 1])) + piece
    return whole
