# SPDX-License-Identifier: LGPL-2.1-or-later
"""A bar for what takes more than a second."""

from __future__ import annotations

import contextlib
import importlib.util
from typing import Callable, Iterator, Optional, Union

Progress = Union[bool, Callable[[float], object], None]
"""None: a bar on a terminal, or in a notebook with ipywidgets. False: none. A function: called with
the share."""

STEPS = 1000


@contextlib.contextmanager
def shown(progress: Progress, what: str) -> Iterator[Optional[Callable[[float], object]]]:
    """The function to call with the share that is done, from 0 to 1."""
    if progress is False or callable(progress):
        yield progress or None
        return
    try:  # tqdm.auto warns in a notebook without ipywidgets
        widgets = importlib.util.find_spec("ipywidgets")
        tqdm = importlib.import_module("tqdm.auto" if widgets else "tqdm.std").tqdm
    except ImportError:
        yield None
        return
    # Silent in a pipe, and where the work is done within a second.
    bar = tqdm(total=STEPS, desc=what, delay=1, leave=False, disable=False if progress else None,
               bar_format="{desc}: {percentage:3.0f} % |{bar}| {elapsed}, {remaining} left")
    try:
        yield lambda share: bar.update(max(0, int(share * STEPS) - bar.n))
    finally:
        bar.close()
