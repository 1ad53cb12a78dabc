# SPDX-License-Identifier: LGPL-2.1-or-later
"""A known cause: what it is, how to look for it, and which edits of the scenario stand for it."""

import copy
import dataclasses
import functools
from typing import Callable

from validation.doctor.scenario.scene import Scene


@dataclasses.dataclass(frozen=True)
class Cause:
    """`values(scene)`: its severities, mild to heavy, [] where it cannot be, as where no scenario
    stands for it; `edit(scene, value)` changes the scene, which is a copy, and returns False where
    that is not possible; `words(value)` says a severity. `seen(points)`: what the measured times
    alone show of it, "" if nothing. For all else see causes.yaml."""

    name: str
    title: str
    check: str
    values: Callable[[Scene], list] = lambda scene: []
    edit: Callable[[Scene, object], object] = lambda scene, value: False
    words: Callable[[object], str] = str
    ordered: bool = True
    weight: float = 1.0
    seen: Callable[[list], str] = lambda points: ""
    variants: tuple = ()
    threads: tuple = ()

    def scene(self, scene: Scene, value):
        """The scene with this cause; None where it cannot have it."""
        changed = copy.deepcopy(scene)
        return None if self.edit(changed, value) is False else changed

    def addresses(self) -> list:
        return [f"https://github.com/{one.replace('#', '/issues/')}" for one in self.threads]

    def each(self) -> list:
        """One cause for each variant."""
        return [dataclasses.replace(self, variants=(), edit=functools.partial(self.edit, **one))
                for one in self.variants] or [self]
