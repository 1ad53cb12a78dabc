# SPDX-License-Identifier: LGPL-2.1-or-later
"""Words of a command line that several subcommands take."""

import argparse
import json

MOST_RANKS = 1_000_000


def count(words: str) -> int:
    """Number of ranks or hosts."""
    if not words.isdecimal() or not 1 <= int(words) <= MOST_RANKS:
        raise argparse.ArgumentTypeError(f"expected 1 to {MOST_RANKS}, got '{words}'")
    return int(words)


def percentage(words: str) -> float:
    """"5%" as 0.05."""
    try:
        value = float(words.removesuffix("%")) / 100 if words.endswith("%") else -1
    except ValueError:
        value = -1
    if not 0 < value < 1:
        raise argparse.ArgumentTypeError(f"expected a percentage such as 5%, got '{words}'")
    return value


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
