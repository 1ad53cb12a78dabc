# SPDX-License-Identifier: LGPL-2.1-or-later
"""Progress and the time left on a terminal, of work that takes more than a second; quiet in a pipe.
"""

import os
import sys

from tqdm import tqdm

FORMAT = "{desc} |{bar}| {percentage:3.0f} %, {remaining} left"


def watched(items, what, total=None):
    """`items`, one by one; `what` is done with them. `total`: of those that do not know it."""
    return tqdm(items, desc=what, total=total, bar_format=FORMAT, leave=False, delay=1,
                disable=bool(os.environ.get("RINGSCOPE_QUIET")) or None, file=sys.stderr)
