# SPDX-License-Identifier: LGPL-2.1-or-later
"""How many nodes and ranks a command line, a job script or a line of NCCL's tells of a run."""

import re

from validation.calibration.imports.findings import Given, Layout
from validation.yaml_files import tables_of

RANKS, PER_NODE, NODES, WORD, GPUS, THREADS, *OTHERS = map("".join, tables_of(__file__).values())
BY_NODE, OF_NODES, PROGRAM, TELLING, HOSTS = map(re.compile, OTHERS)


def number(pattern: str, text: str):
    """The first one in the text, None without any or of 0."""
    found = re.search(pattern, text)
    return int(next(filter(None, found.groups()), 0)) or None if found else None


def said_in(text: str) -> Given:
    """By one line, or by one command, whose program has options of its own: of nccl-tests, the GPUs
    of a process. Without a launcher there is one process."""
    each = (number(GPUS, text) or 1) * (number(THREADS, text) or 1)
    text = PROGRAM.split(text)[0]
    nodes, per_node, ranks = number(NODES, text), number(PER_NODE, text), None
    if BY_NODE.search(text):
        ranks, per_node = number(RANKS, text), per_node or number(WORD, text)
        hosts = [one.partition(":") for one in (HOSTS.findall(text) or [""])[0].split(",") if one]
        nodes = nodes or len({one[0] for one in hosts}) or None
        ranks = ranks or sum(int(one[2]) for one in hosts if one[2].isdecimal())
    elif OF_NODES.search(text):
        ranks, nodes = number(RANKS, text), nodes or number(WORD, text)
    elif each > 1:
        nodes, per_node = 1, 1
    if each > 1:
        ranks, per_node = (ranks or 0) * each or None, (per_node or 0) * each or None
    return filled(Given(nodes, per_node, ranks=ranks))


def filled(said: Given) -> Given:
    """The nodes by all ranks and those of a node, or these by the nodes."""
    nodes, each, ranks = said.nodes, said.ranks_per_node, said.ranks or 0
    return said._replace(nodes=nodes or (-(-ranks // each) if each else 0) or None,
                         ranks_per_node=each or (-(-ranks // nodes) if nodes else 0) or None)


def said_by_line(lines: list) -> list:
    """Facts at each line by those above it; a command forgets the ranks of the one before it."""
    said, found, held = Given(), [Given()], ""
    for text in lines:
        text, held = held + text, ""
        if text.rstrip().endswith("\\"):
            held = text.rstrip()[:-1] + " "
        elif TELLING.search(text):
            here = said_in(text)
            anew = BY_NODE.search(text) or OF_NODES.search(text) and "SBATCH" not in text
            said = Given(here.nodes or said.nodes, here.ranks_per_node or (
                None if anew and here.nodes else said.ranks_per_node), ranks=here.ranks)
        found.append(said)
    return found


def completed(given: Given, said: Given) -> Given:
    """The options, and what the lines above a table tell where these do not."""
    return filled(given._replace(nodes=given.nodes or said.nodes, ranks=said.ranks,
                                 ranks_per_node=given.ranks_per_node or said.ranks_per_node))


def layout_of(source, line: int, ranks: int, known: Given) -> Layout:
    """Hosts filled one after the other; of 0 ranks the number follows from both options."""
    ranks = ranks or (known.nodes or 0) * (known.ranks_per_node or 0)
    each = known.ranks_per_node or -(-ranks // (known.nodes or ranks or 1))
    if not ranks or not (known.nodes or known.ranks_per_node):
        source.fail(line, f"--nodes N {'or' if ranks else 'and'} --ranks-per-node N, which this "
                    "format lacks", "neither" if ranks else "not both")
    return Layout(ranks, each)
