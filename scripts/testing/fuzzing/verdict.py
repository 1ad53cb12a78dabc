# SPDX-License-Identifier: LGPL-2.1-or-later
"""Faults in how a run ended; none where it did what the design promises.

Exit codes are 0, 1 (bad input), 3 (a run that cannot go on) and 4 (a wrong result); a bad input
names its place; nothing of the input reaches a terminal unescaped; no number is NaN or infinite.
"""

import json
import re

ALLOWED = (0, 1, 3, 4)
SANITIZER = re.compile(r"^.*(?:runtime error:|ERROR: \w+Sanitizer|hard rss limit).*$", re.MULTILINE)
# Messages of a library or the runtime about itself, meant for nobody who wrote the input.
RAW = re.compile(r"std::|bad_alloc|json\.exception|basic_string|vector::|_M_range|\bsto[id]\b|"
                 r"yaml-cpp|Assertion|terminate called|Traceback \(most recent|xbt|"
                 r"filesystem error|MPI_ABORT|\(core dumped\)|was killed by|its process ended")
# file:line:column, a file as a whole, an option or an argument of the command line.
PLACE = re.compile(r"^(?:[^\n]*?:\d+:\d+: |(?:the )?[^\n:][^\n]*?: |.*--?\w|.*\b[A-Z]{3,}\b|"
                   r"unknown \w+ |(?:The following|A subcommand|Run with|usage: ))", re.DOTALL)
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\x80-\x9f]")
NO_NUMBER = re.compile(r"(?<![\w.'\"/-])-?(?:nan|inf)(?![\w./'\"-])", re.IGNORECASE)
# Names that the input gives, and the program repeats: one may well hold "nan".
# Outside of braces a name goes on to the end of its line.
NAMED = re.compile(rb"""^[ \-]*(?:name|about|question) *: *["']?([^\n{}\[\]"]+)|"""
                   rb"""\b(?:name|about|question) *: *["']?([^\n,{}\[\]"]+)""", re.MULTILINE)
DEADLOCK = re.compile(r"deadlock|wait|no progress|cannot be written|is full", re.IGNORECASE)


def problem(ended, inputs=None):
    """A line that says what is wrong, and behind it all that there is to know; or None. `inputs`:
    the files that it read, {name: bytes}."""
    out, err = (text.decode("utf-8", errors="surrogateescape") for text in (ended.out, ended.err))
    first = what_is_wrong(ended, out, err, names_in(inputs or {}))
    if first is None:
        return None
    shown = err.encode("utf-8", errors="backslashreplace").decode()[-6000:]
    return f"{first}\n$ {ended.command}\nexit code {ended.code}\n{shown}"


def what_is_wrong(ended, out, err, names):
    if ended.late:
        return "it did not end in time"
    if found := SANITIZER.search(err):
        return f"a sanitizer: {found[0][:300]}"
    if ended.code < 0:
        return f"killed by signal {-ended.code}"
    if ended.code not in ALLOWED:
        return f"exit code {ended.code}"
    if found := RAW.search(err):
        return f"words of a library, exit code {ended.code}: {line_of(err, found.start())}"
    if ended.code == 3 and not DEADLOCK.search(err):
        return f"exit code 3 without a reason: {err[:200]}"
    if ended.code != 0 and not err.strip():
        return f"exit code {ended.code} without a word"
    if unfit := what_is_printed(out, err, names):
        return unfit
    if ended.code == 1 and not PLACE.search(err):
        return f"an error without its place: {err[:200]}"
    return None


def what_is_printed(out, err, names):
    for name, text in (("standard output", out), ("standard error", err)):
        if any("\udc80" <= letter <= "\udcff" for letter in text):
            return f"{name} is not UTF-8"
        if found := CONTROL.search(text):
            return f"a control character on {name}: {ascii(line_of(text, found.start()))}"
    for found in NO_NUMBER.finditer(out):
        if not repeats_a_name(out, found, names):
            return f"no number: {line_of(out, found.start())}"
    return None


def repeats_a_name(out, found, names):
    """Whether the word stands beside a word with which it stands in a name, that may be cut."""
    before = re.search(r"(\S+ )$", out[:found.start()][-100:])
    after = re.match(r" \w+", out[found.end():found.end() + 100])
    pairs = [before and before[0] + found[0], after and found[0] + after[0]]
    return any(pair in name for pair in filter(None, pairs) for name in names)


def names_in(inputs):
    """Names in the input that look like no number."""
    found = (name.decode("utf-8", errors="replace")
             for text in inputs.values() for name in map(b"".join, NAMED.findall(text)))
    return list(filter(NO_NUMBER.search, found))


def line_of(text, at):
    return text[text.rfind("\n", 0, at) + 1:].split("\n")[0][:300]


def file_problem(name, content):
    """Fault in a file that a run which ended well has written. A store is SQLite's."""
    if ".sqlite" in name:
        return None
    text = content.decode("utf-8", errors="surrogateescape")
    if any("\udc80" <= letter <= "\udcff" for letter in text):
        return f"{name} is not UTF-8"
    if name.endswith(".json"):
        try:
            json.loads(text, parse_constant=refuse_constant)
        except ValueError as error:
            return f"{name} is no JSON: {error}"
    return None


def refuse_constant(word):
    raise ValueError(f"it holds {word}")
