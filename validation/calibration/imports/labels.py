# SPDX-License-Identifier: LGPL-2.1-or-later
"""Text as people paste it: Markdown's bars, escapes of terminals, and labels of launchers.

A label is what stands before the first line of a run and before more lines of the file: of mpirun
--tag-output, srun --label, Intel MPI -prepend-rank, prun, pdsh, kubectl logs --prefix, docker
compose, Ray, a time stamp of any of them, or a quotation mark.
"""

import html
import os
import re

from validation.yaml_files import tables_of

PATTERNS, UNREAD = tables_of(__file__).values()
BEGIN, INSIDE, STAMP, ROW, TAG, ESCAPE, FENCE, BARS, *OF_ROWS = (
    re.compile("".join(one)) for one in PATTERNS.values())
HEAD, UNIT, CELLS, DECIMAL = OF_ROWS
ENDS = ":])>|,+"
LONGEST, LEAST_LINES = 120, 3
GROUPED = re.compile(r"(?<!\S)\d{1,3}(?:,\d{3})+(\.\d+)?(?=\s+\S|\s*$)")
# Patterns take quadratic time in many blanks, which say no more than a few hundred.
FILLING, MOST_FILLING = re.compile(r"[ \t\f\v]{400,}|\|{400,}"), 400
RULE = "#" + "-" * 20  # ends a table: where one without a label begins
# Blanks and dashes of word processors, bars of boxes, micro signs, marks without a width
ODD = {0xA0: " ", 0x2011: "-", 0x2013: "-", 0x2014: "--", 0x2212: "-", 0x2502: "|", 0xB5: "u",
       0x3BC: "u", 0x200B: None, 0x2060: None, 0xFEFF: None, 0x1A: None}


def plain(line: str) -> str:
    """Without colours, marks of HTML, and Markdown's marks of code and bars of tables."""
    line = html.unescape(TAG.sub(" ", ESCAPE.sub("", line))).translate(ODD)
    line = line if FENCE.match(line) else line.replace("`", " ")
    line = line.replace("|", " ") if BARS.match(line) else line
    return in_columns(FILLING.sub(lambda found: found[0][:MOST_FILLING], line))


def in_columns(line: str) -> str:
    """A row of nccl-tests or its header with blanks between its cells, and decimal points."""
    if HEAD.match(line):
        return UNIT.sub(" ", line) if re.search(r"[,;]|time *\(", line) else line
    cells = CELLS.match(line)
    if cells and cells[1] == "," and "." in line:
        return re.sub("[\"',]", " ", line)
    line = re.sub("[\"';]", " ", line) if cells else line
    return re.sub(r"(\s\d+),(?=\d\d?(\s|$))", r"\1.", line) if DECIMAL.match(line) else line


def label_of(line: str) -> str:
    """The label before the first line of a run; "" without one."""
    found = BEGIN.search(line)
    label = line[:found.start()].rstrip() if found else ""
    right = label and len(label) <= LONGEST and "#" not in label and '"' not in label
    return label if right and (label[-1] in ENDS or re.search("[A-Za-z]", label)
                               or STAMP.search(label)) else ""


def pattern_of(label: str):
    """Matches the label before any line, whatever time is in it."""
    parts = map(re.escape, re.split(f"{STAMP.pattern}|\0", label))
    end = "" if label[-1] in ENDS else r"(?=\s|$)"
    return re.compile(f"(?:{STAMP.pattern})".join(parts) + end)


def shared(lines: list) -> str:
    """The label before all lines, with \0 for each time stamp; "" of lines of JSON, or of few."""
    texts = [STAMP.sub("\0", one) for one in lines if one.strip()]
    found = os.path.commonprefix(texts) if len(texts) >= LEAST_LINES else ""
    return "" if '"' in found else found[:1 + max(map(found.rfind, ":])>|\0"))]


def without(label, line: str) -> str:
    """The line with blanks in place of its label; Intel MPI's are again before pieces of a row."""
    found = label.match(line)
    rest, inside = line[found.end():], found[0].split()[-1]
    if inside[0] == "[" and re.match(r"\s*\d", rest):
        rest = rest.replace(inside, " " * len(inside))
    return " " * found.end() + rest


def ungrouped(line: str) -> str:
    """Without the commas of "1,048,576" beside other cells: of the first two numbers, of one with a
    point or with two commas, as "1,234" may be less than two."""
    return GROUPED.sub(lambda found: found[0].replace(",", "").rjust(len(found[0])) if (
        found[1] or found[0].count(",") > 1 or len(line[:found.start()].split()) < 2)
        else found[0], line) if len(line.split()) > 1 else line


def streams(lines: list) -> list:
    """The lines of each stream, as many as there are in all: those of others are empty. Without
    labels the only stream is all lines; others without a label stay, but rows and headers."""
    labels = {STAMP.sub("\0", one): pattern_of(one) for one in map(label_of, lines) if one}
    owners = [next((key for key, label in labels.items() if label.match(line)), "")
              for line in lines]
    keys = [key for key in labels if owners.count(key) >= LEAST_LINES]
    owners = [owner if owner in keys else "" for owner in owners]
    begun = [not owner and bool(BEGIN.match(line.lstrip())) for owner, line in zip(owners, lines)]
    if any(begun):
        keys.append("")
    if not any(keys):
        label = (one := shared(lines)) and pattern_of(one)
        return [[without(label, line) if label and label.match(line) else line for line in lines]]
    return [[(without(labels[key], line) if key else line) if owner == key else
             RULE if begins else "" if owner or "" in keys or ROW.match(line) else line
             for owner, line, begins in zip(owners, lines, begun)] for key in keys]
