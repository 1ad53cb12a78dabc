# SPDX-License-Identifier: LGPL-2.1-or-later
"""Items that have something in common, together."""

from typing import Callable, Iterable


def grouped(items: Iterable, key: Callable) -> dict:
    """{key of an item: all such items}, both in the order in which they come."""
    found: dict = {}
    for one in items:
        found.setdefault(key(one), []).append(one)
    return found
