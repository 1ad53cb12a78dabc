# SPDX-License-Identifier: LGPL-2.1-or-later
"""Import benchmark results of OSU, IMB or nccl-tests as measurements.

validation/measurement.md describes the output. The format of the input is detected from its
content. A log may contain several tables of several programs, and other lines. A document has one
kind: for input with probes and replays, -o out.json writes out.probes.json and out.replay.json.
A description of a host or a network becomes a cluster, as with import-machine or import-fabric,
whose options may follow the file.
"""

import os
import re
import sys
import tempfile

from common.programs import InputError, Parser, page_parser, run_main, write_text
from common.quantities import parse_quantity
from validation import measurements
from validation.arguments import MOST_RANKS, OPTIONS, add_options
from validation.calibration import imports
from validation.calibration.imports import findings as findings_, logs, machine_text
from validation.calibration.imports.source import read_source
from validation.calibration.verdict.simulator import Simulator

OF_LOGS = {name: settings.get("dest", name[2:].replace("-", "_"))
           for section in ("import", "log") for name, settings in OPTIONS[section].items()
           if name not in ("files", "-o --output")}  # option: its attribute


def parse_arguments():
    parser = page_parser("ringscope import", __doc__, Parser)
    add_options(parser, "import", formats=", ".join(one.NAME for one in imports.FORMATS),
                kinds=measurements.KINDS)
    logs.add_options(parser)
    arguments, arguments.of_machine = parser.parse_known_args()
    return arguments


def given_by(arguments) -> findings_.Given:
    if arguments.link_bandwidth:
        parse_quantity(arguments.link_bandwidth, "bandwidth", "--link-bandwidth")
    if arguments.placement and not all(part.isdecimal() and 1 <= int(part) <= MOST_RANKS
                                       for part in arguments.placement.split("-")):
        raise InputError('--placement: expected counts of ranks such as "3-3", got '
                         f'"{arguments.placement}"')
    where = {"mpi": arguments.mpi, "nic": [arguments.nic] if arguments.nic else [],
             "link_bandwidth": arguments.link_bandwidth, "source": arguments.source}
    return findings_.Given(arguments.nodes, arguments.ranks_per_node, arguments.collective,
                           arguments.placement, where)


def find_all(arguments, given) -> list:
    """Findings of all files; of one that describes a host or a network none, but its cluster is
    written, as import-machine or import-fabric do."""
    found = []
    for path in arguments.files:
        try:
            found += imports.read(path, given, arguments.format)
        except imports.UnknownFormat:
            with tempfile.TemporaryDirectory() as folder:
                if path == "-" or not (described := machine_importer(path, folder)):
                    raise
                write_text(arguments.output, cluster_of(*described, path, arguments))
    if found and arguments.of_machine:
        raise InputError(f"unknown option '{arguments.of_machine[0]}': of measurements, import "
                         f"takes {', '.join(OF_LOGS)}")
    return found


def machine_importer(path: str, folder: str) -> tuple:
    """The command that reads the host or network in the file, and the file, or one in the folder
    without the marks of launchers and pages; nothing where none has its format."""
    clean, failed = os.path.join(folder, os.path.basename(path)), ()
    write_text(clean, machine_text.cleaned(read_source(path)))
    for file in (path, clean):
        for command in ("import-machine", "import-fabric"):
            try:
                Simulator().output(command, file)
                return command, file
            except InputError as error:
                if not re.search("no known description|is larger than", str(error)):
                    failed = (command, file)
    return failed


def cluster_of(command: str, file: str, path: str, arguments) -> str:
    """The cluster in the file. Nothing that was said is passed over: InputError for a file beside
    it, or an option of measurements."""
    if len(arguments.files) > 1:
        raise InputError(f"{path}: describes a machine, which becomes a cluster: import it alone, "
                         f"got {len(arguments.files)} files")
    for name, attribute in OF_LOGS.items():
        if getattr(arguments, attribute):
            raise InputError(f"{name}: is for measurements, and {path} describes a machine: see "
                             f"ringscope {command} --help")
    try:
        return Simulator().output(command, file, *arguments.of_machine)
    except InputError as error:
        raise InputError(str(error).replace(file, path)) from None


def outputs_of(documents: list, output: str) -> list:
    """(path, document): one file per kind where there are several."""
    if not documents:
        raise InputError("nothing is left to import: every measurement was omitted, see above")
    if len(documents) == 1:
        return [(output, documents[0])]
    kinds = " and ".join(document.kind for document in documents)
    if output == "-":
        raise InputError(f"the input holds {kinds}, a document only one of them: choose one with "
                         "--only, or write each to a separate file with -o")
    stem, ending = os.path.splitext(output)
    print(f"the input holds {kinds}: each goes to a separate file", file=sys.stderr)
    return [(f"{stem}.{document.kind}{ending}", document) for document in documents]


def main():
    arguments = parse_arguments()
    found = find_all(arguments, given_by(arguments))
    if not found:
        return
    documents = findings_.documents_of(found, given_by(arguments))
    if arguments.kind:
        kinds = ", ".join(document.kind for document in documents)
        documents = [document for document in documents if document.kind == arguments.kind]
        if not documents:
            raise InputError(f"--only: expected what the input holds ({kinds}), "
                             f'got "{arguments.kind}"')
    for text in dict.fromkeys(note for findings in found for note in findings.notes):
        print(f"note: {text}", file=sys.stderr)
    for path, document in outputs_of(documents, arguments.output):
        measurements.write(path, document)
        if path != "-":
            print(f"{path}: {document.kind}, {len(document.measurements)} measurements",
                  file=sys.stderr)


if __name__ == "__main__":
    run_main(main)
