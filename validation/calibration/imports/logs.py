# SPDX-License-Identifier: LGPL-2.1-or-later
"""Documents of measurements, or the logs that they come from: calibrate and validate read both."""

import dataclasses
import pathlib
import re
import sys

from common.programs import InputError
from validation import arguments, measurements
from validation.calibration import imports
from validation.calibration.imports import collectives, exported, findings
from validation.calibration.imports.source import printed_at

# Keys of other programs' JSON
FOREIGN = ('"nccl_version"', '"coll_perf"', '"nvbandwidth"', '"busBw"')


def add_options(parser):
    """Options for facts that a log lacks, as in `ringscope import`."""
    arguments.add_options(parser, "log", collective=collectives.of_option)


def given_by(options) -> findings.Given:
    return findings.Given(options.nodes, options.ranks_per_node, options.collective,
                          where={"mpi": options.mpi} if options.mpi else {})


def is_document(path: str) -> bool:
    """True where nothing but our JSON can be meant, not another program's; what cannot be read is
    its reader's matter."""
    if path == "-":
        return True
    try:
        text = printed_at(path).lstrip("\ufeff \t\r\n")
    except InputError:
        return True
    # "[0] " and "[1,0]<stdout>:" are labels of launchers.
    if not re.match(r"\{|\[\s*[\[{\]]", text):
        return path.endswith(".json")
    return not any(key in text for key in FOREIGN) and \
        not exported.lines_in_strings(text) and not exported.RECORDS.match(text)


def documents_at(path: str, options, kinds=measurements.KINDS) -> list:
    """The document in a file; of a log one of each kind among `kinds` that it holds."""
    if is_document(path):
        return [measurements.read(path, kinds)]
    given = given_by(options)
    found = imports.read(path, given)
    for note in dict.fromkeys(note for one in found for note in one.notes):
        print(f"note: {note}", file=sys.stderr)
    documents = findings.documents_of(found, given)
    chosen = [document for document in documents if document.kind in kinds]
    if not chosen:
        held = " and ".join(document.kind for document in documents) or "nothing"
        raise InputError(f"{path}: expected {' or '.join(kinds)}, got {held}")
    # Names for what is in no file of its own
    names = [path] if len(chosen) == 1 else [f"{pathlib.PurePath(path).name} ({document.kind})"
                                             for document in chosen]
    return [dataclasses.replace(document, path=name) for document, name in zip(chosen, names)]
