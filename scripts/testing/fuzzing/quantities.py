# SPDX-License-Identifier: LGPL-2.1-or-later
"""Quantities of random scenarios: they carry their kind, so that all rates can be scaled."""

import json


class Rate(float):
    """Bytes per second."""


class PerSecond(float):
    """Things per second, a plain number in a scenario."""


class Time(float):
    """Seconds."""


class Cost(float):
    """Seconds per byte."""


UNITS = {Rate: " B/s", Time: " s", Cost: " s/B"}


def scaled(value, faster):
    """The same with all rates `faster` times as high and all times and costs as much shorter."""
    if isinstance(value, dict):
        return {key: scaled(inner, faster) for key, inner in value.items()}
    if isinstance(value, list):
        return [scaled(inner, faster) for inner in value]
    if isinstance(value, (Rate, PerSecond)):
        return type(value)(value * faster)
    if isinstance(value, (Time, Cost)):
        return type(value)(value / faster)
    return value


def as_yaml(scenario):
    """JSON is YAML."""
    return json.dumps(_texts(scenario), indent=1).encode()


def _texts(value):
    if isinstance(value, dict):
        return {key: _texts(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_texts(inner) for inner in value]
    return f"{float(value)!r}{UNITS[type(value)]}" if type(value) in UNITS else value


def holds(value, keys):
    """Whether one of the keys stands anywhere in it."""
    if isinstance(value, dict):
        return any(key in keys or holds(inner, keys) for key, inner in value.items())
    return isinstance(value, list) and any(holds(inner, keys) for inner in value)


def number(random, low, high):
    """Between the two, evenly in its logarithm; every other one has one digit."""
    value = low * (high / low) ** random.random()
    return float(f"{value:.0e}") if random.random() < 0.5 else value


def rate(random, low=1e8, high=2e10):
    return Rate(number(random, low, high))


def time(random, low=1e-7, high=2e-5):
    return Time(0.0) if random.random() < 0.1 else Time(number(random, low, high))


def cost(random, low=3e-11, high=3e-9):
    return Cost(0.0) if random.random() < 0.2 else Cost(number(random, low, high))


def size(random):
    return random.choice([1, 4, 1000, 1024, 4096, 10_000, 65_536, 100_000, 262_144, 1_000_000,
                          round(number(random, 1, 1e6))])
