# SPDX-License-Identifier: LGPL-2.1-or-later
"""Words of a command line that several subcommands take."""

import argparse
import json
import pathlib
from typing import Callable

from validation.yaml_files import LOADER, read_yaml, tables_of

OPTIONS = tables_of(__file__)
MOST_RANKS = 1_000_000


def count(words: str) -> int:
    """Number of ranks or hosts."""
    if not words.isdecimal() or not 1 <= int(words) <= MOST_RANKS:
        raise argparse.ArgumentTypeError(f"expected 1 to {MOST_RANKS}, got '{words}'")
    return int(words)


def number(words: str, unit: str, fits: Callable[[float], bool], expected: str) -> float:
    """The number before the unit, which `fits` must be true of."""
    try:
        value = float(words.removesuffix(unit)) if words.endswith(unit) else -1
    except ValueError:
        value = -1
    if not fits(value):
        raise argparse.ArgumentTypeError(f"expected {expected}, got '{words}'")
    return value


def percentage(words: str) -> float:
    """"5%" as 0.05."""
    return number(words, "%", lambda value: 0 < value / 100 < 1, "a percentage such as 5%") / 100


def choice(words: str) -> tuple:
    """(collective, the algorithm that a library chose)"""
    collective, _, algorithm = words.partition("=")
    if not (collective and algorithm):
        raise argparse.ArgumentTypeError(f"expected COLLECTIVE=ALGORITHM, got '{words}'")
    return collective, algorithm


def placement(words: str):
    """Counts such as 4-3-1, or what a scenario says, as JSON."""
    if words[:1] not in "{[":
        return words
    try:
        return json.loads(words)
    except ValueError:
        raise argparse.ArgumentTypeError(f"expected 8x2 or JSON, got '{words}'") from None


class Model(str):
    """File with a cluster and a library."""


def model(words: str) -> Model:
    found = read_yaml(words, loader=LOADER)
    if not isinstance(found, dict) or not {"cluster", "library"} <= found.keys():
        raise argparse.ArgumentTypeError(f"expected a file with cluster and library, got '{words}'")
    return Model(words)


class Laid(argparse.Action):
    """Appends (option, value): what changes the scenario, in the order of the command line."""

    def __call__(self, _, options, value, option=None):
        setattr(options, self.dest, [*getattr(options, self.dest), (option, value)])


KNOWN = {"int": int, "float": float, "path": pathlib.Path, "count": count, "choice": choice,
         "percentage": percentage, "placement": placement, "model": model, "laid": Laid,
         "suppress": argparse.SUPPRESS}


def add_options(parser, section: str, **given):
    """Adds the options of a section of arguments.yaml. `given`: values that it names, beside KNOWN.
    Options with `only` exclude each other; where that is true, one of them is required.
    """
    known, group = KNOWN | given, None
    for names, settings in OPTIONS[section].items():
        values = {key: known[value[1:]] if str(value).startswith("=") else value
                  for key, value in settings.items() if key != "only"}
        if "only" in settings:
            group = group or parser.add_mutually_exclusive_group(required=settings["only"])
        (group if "only" in settings else parser).add_argument(
            *names.split(), **values | {"help": values["help"].format(**known)})


def parsed(parser, *sections: str, **given):
    """The words of a program whose options are those of these sections, as add_options() has them.
    """
    for section in sections:
        add_options(parser, section, **given)
    options = parser.parse_args()
    if isinstance(vars(options).get("cluster"), Model) and options.library:
        parser.error("argument --model: expected one of the options that give the library, got "
                     "--library, too")
    return options
