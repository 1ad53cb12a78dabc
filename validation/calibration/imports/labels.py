# SPDX-License-Identifier: LGPL-2.1-or-later
"""Text as people paste it: Markdown's bars, escapes of terminals, and labels of launchers.

A label is what stands before the first line of a run and before more lines of the file: of mpirun
--tag-output, srun --label, Intel MPI -prepend-rank, prun, pdsh, kubectl logs --prefix, docker
compose, Ray, a time stamp of any of them, or a quotation mark.
"""

import re

# Lines with which a run or its table begins, whoever prints it.
BEGIN = re.compile(r"#\s*(OSU |Benchmarking )|#?\s*(OSU MPI.* Test|Benchmarking \S+\s*$|"
                   r"nThread \d+ nGpus|nccl-tests version|Collective test starting|"
                   r"size +count +type)")
STAMP = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?|"
                   r"[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4}|"
                   r"(?:[A-Z][a-z]{2} [ \d]\d )?\d\d:\d\d:\d\d(?:[.,]\d+)?")
ENDS = ":])>|"
ROW = re.compile(r"\s*(\d|#?\s*Size\b)")
LONGEST, LEAST_LINES = 120, 3
RULE = "#" + "-" * 20  # ends a table: where one without a label begins
# Sequences of terminals (ECMA-48 and titles of windows), also without ESC and as cat -v shows it.
ESCAPE = re.compile(r"(?:\x1b|\^\[)(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b\n]*(?:\x07|\x1b\\)?|"
                    r"[()]\w|[=>])|\[\d[\d;]*m|\x07")
# Blanks and dashes of word processors, bars of boxes, marks without a width
ODD = {0xA0: " ", 0x2013: "-", 0x2014: "--", 0x2212: "-", 0x2502: "|", 0x200B: None, 0x2060: None,
       0xFEFF: None, 0x1A: None}
FENCE = re.compile(r"\s*```\w*\s*$")
BARS = re.compile(r"\s*\|[^|]*\|")


def plain(line: str) -> str:
    """Without colours and Markdown's marks of code and bars of tables."""
    line = ESCAPE.sub("", line).translate(ODD).replace("&nbsp;", " ")
    line = line if FENCE.match(line) else line.replace("`", " ")
    return line.replace("|", " ") if BARS.match(line) else line


def label_of(line: str) -> str:
    """The label before the first line of a run; "" without one."""
    found = BEGIN.search(line)
    label = line[:found.start()].rstrip() if found else ""
    right = label and len(label) <= LONGEST and "#" not in label
    return label if right and (label[-1] in ENDS or STAMP.search(label)) else ""


def pattern_of(label: str):
    """Matches the label before any line, whatever time is in it."""
    parts = map(re.escape, STAMP.split(label))
    end = "" if label[-1] in ENDS else r"(?=\s|$)"
    return re.compile(f"(?:{STAMP.pattern})".join(parts) + end)


def without(label, line: str) -> str:
    """The line with blanks in place of its label; Intel MPI's are again before pieces of a row."""
    found = label.match(line)
    rest, inside = line[found.end():], found[0].strip()
    if inside[0] == "[" and re.match(r"\s*\d", rest):
        rest = rest.replace(inside, " " * len(inside))
    return " " * found.end() + rest


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
        return [lines]
    return [[(without(labels[key], line) if key else line) if owner == key else
             RULE if begins else "" if owner or "" in keys or ROW.match(line) else line
             for owner, line, begins in zip(owners, lines, begun)] for key in keys]
