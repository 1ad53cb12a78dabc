# SPDX-License-Identifier: LGPL-2.1-or-later
"""Intervals of the fitted values: the fit is done again on what chance might have measured.

Where samples were published they are drawn again, with replacement. Where only medians were, the
relative residuals of the fit are: each point is what the fit says, off by another point's residual.
"""

import numpy as np

from validation.calibration.fit.transport import values_of
from validation.progress import watched

PERCENT = (2.5, 97.5)


def drawing(generator, transport):
    """Returns a function that draws one observation's seconds again."""

    def draw(observation):
        if any(len(point.samples) > 1 for point in observation.points):
            return np.array([point.redrawn(generator).seconds for point in observation.points])
        errors = observation.errors(transport)
        return observation.predict(transport) / (1 + generator.choice(errors, len(errors)))

    return draw


def intervals_of(fitted, count, generator) -> dict:
    """{name: (low, high)} of a transport's free values, 95 %."""
    names = {name for group in fitted.free for name in group} | set(fitted.told)
    if not names or not fitted.observations or count < 2:
        return {}
    draw = drawing(generator, fitted.transport)
    drawn = [values_of(fitted.drawn_again(draw))
             for _ in watched(range(count), "fitting again for intervals")]
    return {name: interval([one[name] for one in drawn]) for name in sorted(names)}


def interval(values):
    low, high = np.percentile(values, PERCENT)
    return float(low), float(high)


def way_of_drawing(fitted) -> str:
    sampled = {any(len(point.samples) > 1 for point in one.points) for one in fitted.observations}
    return {frozenset({True}): "samples drawn again", frozenset({False}): "residuals drawn again"
            }.get(frozenset(sampled), "samples drawn again, residuals where only medians are known")
