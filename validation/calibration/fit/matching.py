# SPDX-License-Identifier: LGPL-2.1-or-later
"""Cost of matching for each receive that it looks at in vain, by messages behind posted ones."""

import math

SURE = 2.0  # standard deviations: a rise below that is noise


def match_cost_of(points):
    """(seconds for each receive, least, most); None where it is lost in noise. In shared memory,
    where the rest of a message takes least, if that was measured."""
    for way in ("shm", "network"):
        found = sorted(points.of_probe("matching", way=way),
                       key=lambda point: point.parameters["posted"])
        if len(found) < 2:
            continue
        few, many = found[0], found[-1]
        rise = many.seconds - few.seconds
        noise = SURE * math.hypot(few.seconds * few.spread, many.seconds * many.spread)
        if rise <= noise:
            return None
        more = many.parameters["posted"] - few.parameters["posted"]
        return rise / more, (rise - noise) / more, (rise + noise) / more
    return None
