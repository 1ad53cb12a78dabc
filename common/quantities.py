# SPDX-License-Identifier: LGPL-2.1-or-later
"""Quantities with their units, as the rest of the project writes them.

Prefixes: k, M, G, T are powers of 1000; Ki, Mi, Gi, Ti powers of 1024. A bare number is never a
quantity.
"""

import math
import re

from common.programs import InputError

# The one table of units, {unit: (powers of ten, of two)}: what is read, and of it what is printed.
BYTES = {prefix + "B": powers for prefix, powers in {
    "": (0, 0), "k": (3, 0), "M": (6, 0), "G": (9, 0), "T": (12, 0),
    "Ki": (0, 10), "Mi": (0, 20), "Gi": (0, 30), "Ti": (0, 40)}.items()}
TIMES = {"s": (0, 0), "ms": (-3, 0), "us": (-6, 0), "\u00b5s": (-6, 0), "\u03bcs": (-6, 0),
         "ns": (-9, 0), "ps": (-12, 0)}
BITS = {prefix + "bit/s": (ten, -3) for prefix, ten in
        {"": 0, "k": 3, "M": 6, "G": 9, "T": 12}.items()}
BYTE_RATES = {unit + "/s": powers for unit, powers in BYTES.items()}
COSTS = {unit + "/B": powers for unit, powers in TIMES.items()}
# kind: (its units, an example)
UNITS = {
    "bytes": (BYTES, "64 MiB"),
    "bandwidth": (BYTE_RATES | BITS, "10 Gbit/s"),
    "time": (TIMES, "1.5 us"),
    "cost": (COSTS, "0.8 ns/B"),
}
NUMBER = re.compile(r"\s*(\d+\.?\d*|\.\d+)(?:[eE]([+-]?\d{1,4}))?\s*(.*?)\s*")


def parse_quantity(text: str, kind: str = "", place: str = "") -> float:
    """"64 MiB", "10 Gbit/s", "1.5 us", "8 ns/B" in bytes, bytes/s, seconds, seconds/byte.

    `kind` (bytes, bandwidth, time, cost) refuses the others. Raises InputError at `place`."""
    kinds = [kind] if kind else list(UNITS)
    if text.strip() == "unlimited" and {"bytes", "bandwidth"} & set(kinds):
        return math.inf
    parts = NUMBER.fullmatch(text)
    for units, _ in (UNITS[one] for one in kinds):
        if parts and parts[3] in units:
            ten, two = units[parts[3]]
            value = math.ldexp(float(f"{parts[1]}e{int(parts[2] or 0) + ten}"), two)
            if math.isfinite(value):
                return value
    examples = " or ".join(f'"{UNITS[one][1]}"' for one in kinds)
    hint = ", which has no unit" if parts and not parts[3] else ""
    where = f"{place}: " if place else ""
    raise InputError(f'{where}expected {kind or "a quantity"} such as {examples}, '
                     f'got "{text}"{hint}')


def size_of(powers: tuple) -> float:
    ten, two = powers
    return math.ldexp(float(f"1e{ten}"), two)


def falling(units: dict, *names: str) -> list:
    """[(size, name)] of some of a table's units, for in_unit."""
    return [(size_of(units[name]), name) for name in names]


SECONDS = falling(TIMES, "s", "ms", "us", "ns", "ps")
SECONDS_PER_BYTE = falling(COSTS, "s/B", "ms/B", "us/B", "ns/B", "ps/B")
RATES = falling(BYTE_RATES, "TB/s", "GB/s", "MB/s", "kB/s", "B/s")
SIZES = falling(BYTES, "TiB", "GiB", "MiB", "KiB", "B")
DECIMAL_SIZES = falling(BYTES, "TB", "GB", "MB", "kB", "B")


def in_unit(value: float, units, digits: int = 3) -> str:
    """"41.2 ms": `value` in the first of `units` (size, name; falling) in which it is 1 or more."""
    size, name = next((unit for unit in units
                       if float(f"{abs(value) / unit[0]:.{digits}g}") >= 1), units[-1])
    if value == 0:
        size, name = next(unit for unit in units if unit[0] == 1)
    return f"{float(f'{value / size:.{digits}g}'):.{max(digits, 4)}g} {name}"


def format_time(seconds: float, digits: int = 4) -> str:
    """"41.2 us": at most `digits` significant digits."""
    return in_unit(seconds, SECONDS, digits)


def format_bytes(count: float, digits: int = 4) -> str:
    """"64 KiB", "1 B"; "100 MB" where that says it all, and 95.37 MiB does not."""
    texts = [in_unit(count, units, digits) for units in (SIZES, DECIMAL_SIZES)]
    exact = [text for text in texts if count >= 1000 and parse_quantity(text, "bytes") == count]
    return (exact or texts)[0]


def format_whole_bytes(count: float) -> str:
    """"64 KiB", exactly: a limit is a whole number of bytes."""
    if math.isinf(count):
        return "unlimited"
    count = int(round(count))
    size, name = next((unit for unit in SIZES if count % unit[0] == 0 < count), SIZES[-1])
    return f"{count // int(size)} {name}"


def format_bandwidth(bytes_per_second: float, digits: int = 4) -> str:
    """"1.25 GB/s"."""
    if math.isinf(bytes_per_second):
        return "unlimited"
    return in_unit(bytes_per_second, RATES, digits)


def format_cost(seconds_per_byte: float, digits: int = 4) -> str:
    """"0.8 ns/B"."""
    return in_unit(seconds_per_byte, SECONDS_PER_BYTE, digits)
