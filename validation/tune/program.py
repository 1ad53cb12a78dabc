# SPDX-License-Identifier: LGPL-2.1-or-later
"""Find the fastest algorithm per message size and write the library's tuning file.

CLUSTER is a built-in cluster or a file, preferably from `ringscope calibrate`, which also contains
the library. Each algorithm of the library is simulated at each size, with the segments that its
tuning file can set. The library's own choice is simulated too. The file gets an entry where the
gain exceeds the model's error. At all other sizes the library's own choice remains.

Examples:
  ringscope tune mycluster.yaml --placement 4-2-2
  ringscope tune mycluster.yaml --placement 16x8 --bytes 1KiB..64MiB -o rules.conf --json tuned.json
  ringscope tune rack3 --placement 3-3-2 --library openmpi_tcp --collective broadcast --min-gain 20%

Exit codes: 0 done, with or without a gain; 1 bad input; 3 deadlock in a simulation.
"""

import argparse
import difflib
import sys
from typing import NamedTuple

from common.programs import InputError, Parser, page_parser, run_main, write_text
from common.quantities import format_whole_bytes, parse_quantity
from validation.arguments import parsed
from validation.calibration.verdict.simulator import Simulator
from validation.doctor.what_if import WhatIf
from validation.tune import decision, document, ground, text
from validation.tune.formats import FORMATS
from validation.tune.formats.format import Target

SIZES = "1KiB..16MiB"
MOST_SIZES = 64


class Sizes(NamedTuple):
    """Sizes as they were said, and in bytes."""

    words: str
    bytes: list


def sizes(words: str) -> Sizes:
    """"1KiB..16MiB": both and the powers of two between them; or a list with commas."""
    words = words.replace("-", "..")  # as ranges were written, for one more release
    try:
        if ".." not in words:
            found = sorted({int(parse_quantity(one, "bytes")) for one in words.split(",")})
        else:
            low, high = (int(parse_quantity(one, "bytes")) for one in words.split(".."))
            between = {1 << power for power in range(64) if low < 1 << power < high}
            found = sorted({low, high} | between) if low <= high else []
    except (InputError, ValueError, OverflowError):
        found = []
    if not found or found[0] < 1 or len(found) > MOST_SIZES:
        raise argparse.ArgumentTypeError("expected sizes such as 1KiB..16MiB or 1MiB,3MiB, at most "
                                         f"{MOST_SIZES}, got '{words}'")
    return Sizes(words, found)


def known(option: str, kind: str, words: str, names: list):
    """Raises InputError with the names that there are, and the nearest of them."""
    if words in names:
        return
    near = difflib.get_close_matches(words, names, 1)
    hint = f"; did you mean '{near[0]}'?" if near else ""
    raise InputError(f"{option}: expected a {kind} ({', '.join(names)}), got '{words}'{hint}")


def arguments():
    formats = "\n".join(f"{one.name}: {one.about}: {', '.join(one.collectives)}"
                        for one in FORMATS.values())
    return parsed(page_parser("ringscope tune", __doc__, Parser), "tune", sizes=sizes,
                  default_sizes=sizes(SIZES), formats=formats)


def tuned(simulator: Simulator, where: ground.Ground, form, options) -> list:
    what_if = WhatIf(simulator)
    listed = simulator.listed("algorithms")
    found = []
    for name in dict.fromkeys(options.collective or ["allreduce"]):
        known("--collective", f"collective of {form.title}", name, form.collectives)
        ways = form.ways_of(name, where.ranks)
        lacking = [way for way in decision.others(listed, name, form.ways, where)
                   if way.algorithm not in form.alike and not form.complete]
        own = form.own[name]
        found.append(decision.decided(what_if, where, lambda size, own=own: own(where.ranks, size),
                                      [*ways, *lacking], options.bytes.bytes))
        where.notes += [form.notes[name]] if name in form.notes else []
    return found


def said(options, where: ground.Ground) -> str:
    """First line of a file of rules."""
    low, high = (format_whole_bytes(options.bytes.bytes[i]) for i in (0, -1))
    return (f"Written by ringscope tune: {where.name}, {where.costs_name}, placement "
            f"{text.placed(where.placement)}, {low} to {high}").replace("\n", " ")


def main():
    options = arguments()
    where = ground.read(options.cluster, options.library, options.placement, options.error)
    if where.ranks < 2:
        raise InputError(f"--placement: expected two ranks or more, got {where.ranks}")
    name = options.format or ("nccl" if where.on_gpus else "openmpi")
    known("--format", "format", name, list(FORMATS))
    form = FORMATS[name]
    found = tuned(Simulator(), where, form, options)
    if options.output:
        target = Target(where.ranks, where.hosts, said(options, where))
        write_text(options.output, form.write(found, target))
    if options.json:
        write_text(options.json, document.json_text(where, form, found))
    if options.figure:
        from validation.tune import figure  # matplotlib is slow to load, and may not be there
        title = f"{form.title} on {text.placed(where.placement)}: where rules win"
        figure.write(found, title, options.figure)
    if "-" not in (options.json, options.output):
        sys.stdout.write(text.text(where, form, found, options))


if __name__ == "__main__":
    run_main(main)
