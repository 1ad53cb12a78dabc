# SPDX-License-Identifier: LGPL-2.1-or-later
"""A log as other programs export it: lines in strings of JSON or CSV, newest first, numbered, or a
list of rows in YAML.

Exports of kubectl, docker, Loki, CloudWatch, Google Cloud and Elasticsearch, results of Ansible,
journalctl -r, cat -n and grep -n. Of JSON only the strings of one key are kept: no other field.
"""

import contextlib
import json
import os
import re

import yaml

from validation.calibration.imports import labels

STRING = re.compile(r'"((?:[^"\\\n]|\\.)*)"(\s*:)?')  # a value, or a key before its colon
TIME = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?|\b1[5-9]\d{8}(?:\d{3}){0,3}\b")
LOADER = getattr(yaml, "CBaseLoader", yaml.BaseLoader)  # leaves numbers as they are written
RECORDS = re.compile(r"(?i)\s*\[?\s*\{[^{}]*"  # with a time and its unit
                     r'"[a-z_ ]*(time|latency|duration)[_ (]+[mnu]?s(ec)?\)?"\s*:')
LIST = re.compile(r"(?:(?:#.*|---|[ \t]*)\n)*- +\{?[A-Za-z]\w*:")
FIRST = re.compile(r"\s*(\d+)\s+\d")  # of a row
NUMBERED = re.compile(r"(?:[^\s:]+:)?\s*(\d+)(?:[:|\t ]|$)")
# Lines that a terminal broke: their number, equal letters at the begin of two, pieces of one
LEAST_BROKEN, LEAST_ALIKE, MOST_PIECES, LEAST_WIDTH = 2, 3, 4, 60
LEAST_LINES, MOST_PLAIN = 3, 0.1  # share of lines without a time


def log_in(text: str) -> tuple:
    """(the log, words on where its lines come from; "" of one as it was printed)"""
    text = re.sub(r"(?i)(</tr>)(?=[ \t]*[^\s])", r"\1\n", re.sub(r"\r*\n|\r", "\n", text))
    if inside := lines_in_strings(text):
        return "\n".join(inside) + "\n", " (lines in its strings)"
    if text.count("\n") < text.count("\\n") and labels.INSIDE.search(text):
        text = re.sub(r"^\W*b?['\"](?=#)", "", text).replace("\\n", "\n").replace("\\t", "\t")
    if rows := rows_of_maps(text):
        return "\n".join(rows) + "\n", " (rows of its list)"
    lines = text.split("\n")
    if newest_first(lines):
        return "\n".join(lines[::-1]).lstrip("\n") + "\n", " (last line first)"
    return "\n".join(without_numbers(lines)), ""


def rows_of_maps(text: str) -> list:
    """Lines of CSV, below the comments, of a list in YAML, or of times in JSON with their units, of
    maps with the same keys."""
    rows = []
    with contextlib.suppress(yaml.YAMLError, RecursionError, ValueError):
        rows = yaml.load(text, LOADER) if LIST.match(text) else []
        if RECORDS.match(text):
            one_a_line = ",".join(filter(str.strip, text.split("\n")))
            rows = json.loads(text if text.lstrip()[0] == "[" else f"[{one_a_line}]",
                              parse_int=str, parse_float=str)
    if not rows or not isinstance(rows, list) or not all(
            isinstance(one, dict) and one.keys() == rows[0].keys() for one in rows):
        return []
    lines = [list(rows[0]), *([one[name] for name in rows[0]] for one in rows)]
    return [line for line in text.split("\n") if line.startswith("#")] + list(
        map(",".join, lines)) if all(isinstance(one, str) for row in lines for one in row) else []


def otherwise(text: str):
    """(log, words on how it became one): other forms of a log that cannot be read as it stands.
    Lines that a terminal broke at its width are whole, and where sizes fall and titles come last,
    the last line is the first."""
    lines = text.split("\n")
    if whole := unbroken(lines):
        yield "\n".join(whole), " (its longest lines joined with the next)"
    begin = next((at for at, line in enumerate(lines) if labels.BEGIN.search(line)), 0)
    sizes = [int(found[1]) for found in map(FIRST.match, lines[:begin]) if found]
    falls = sum(one > other for one, other in zip(sizes, sizes[1:]))
    if 2 * falls > len(sizes) >= LEAST_LINES:
        yield "\n".join(lines[::-1]).lstrip("\n") + "\n", " (last line first)"


def unbroken(lines: list) -> list:
    """Each line as long as the longest together with the next, whose place is empty; nothing where
    few lines are so long, or a next line begins as the one before it or is a title by itself."""
    width, whole, begin = max(map(len, lines)), list(lines), 0
    for at, line in enumerate(lines[1:], 1):
        begin = begin if len(lines[at - 1]) == width else at
        if begin < at:
            alike = os.path.commonprefix([lines[at - 1], line]).strip()
            if len(alike) >= LEAST_ALIKE or at - begin >= MOST_PIECES or \
                    labels.BEGIN.match(line.lstrip()) or width < LEAST_WIDTH:
                return []
            whole[begin], whole[at] = whole[begin] + line, ""
    return whole if sum(len(line) == width for line in lines) >= LEAST_BROKEN else []


def lines_in_strings(text: str) -> list:
    """The lines, oldest first, of the first key whose strings hold what a program prints; none of
    a text in which a program's line is outside of strings."""
    begins = [found for found in map(labels.INSIDE.search, text.split("\n")) if found]
    if not begins or not all('"' in found.string[:found.start()] for found in begins):
        return []
    found, key = {}, ""
    for string in STRING.finditer(text):
        if string[2]:
            key = string[1]
            continue
        try:
            found.setdefault(key, []).append(json.loads(f'"{string[1]}"', strict=False))
        except ValueError:
            return []
    for strings in found.values():
        if any(map(labels.INSIDE.search, strings)):
            times = TIME.findall(text)
            strings = strings[::-1] if times and times[0] > times[-1] else strings
            return [line for one in strings if not one.isdecimal()
                    for line in one.removesuffix("\n").split("\n")]
    return []


def newest_first(lines: list) -> bool:
    times = [TIME.search(line[:labels.LONGEST]) for line in lines if line.strip()]
    known = [one[0] for one in times if one]
    return len(times) - len(known) <= MOST_PLAIN * len(times) and len(known) >= LEAST_LINES and \
        known[0] > known[-1] and known == sorted(known, reverse=True)


def without_numbers(lines: list) -> list:
    """Blanks in place of the numbers before all lines, which count them."""
    last = len(lines) - (not lines[-1])
    found = [NUMBERED.match(line) for line in lines[:last]]
    if len(found) < LEAST_LINES or not all(found):
        return lines
    first, rest = int(found[0][1]), [" " * one.end() + one.string[one.end():] for one in found]
    counted = all(int(one[1]) == first + place for place, one in enumerate(found))
    return rest + lines[last:] if counted and any(map(labels.BEGIN.search, rest)) else lines
