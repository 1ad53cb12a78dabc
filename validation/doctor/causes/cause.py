# SPDX-License-Identifier: LGPL-2.1-or-later
"""A known cause: what it is, how to look for it, and which edits of the scenario stand for it."""

import dataclasses
import functools
from typing import Callable

from validation.doctor.scenario.scene import Scene

FREQUENT, RARE = 2.0, 0.3


@dataclasses.dataclass(frozen=True)
class Cause:
    """`values(scene)`: its severities, mild to heavy, [] where it cannot be; `edit(scene, value)`
    changes the scene, which is a copy, and returns False where that is not possible; `words(value)`
    says a severity. `ordered`: between two severities lie others. `weight`: how probable it is
    before the data, against the others; a guess from what users report: FREQUENT, 1 or RARE.
    `check`: a line of shell, "  # ", what to look for there. `threads`: public ones, as
    OWNER/NAME#NUMBER. `seen(points)`: what the measured times alone show of it, "" if nothing.
    `variants`: keyword arguments of `edit`, each of which is tried by itself."""

    name: str
    title: str
    check: str
    values: Callable[[Scene], list]
    edit: Callable[[Scene, object], object]
    words: Callable[[object], str] = str
    ordered: bool = True
    weight: float = 1.0
    seen: Callable[[list], str] = lambda points: ""
    variants: tuple = ()
    threads: tuple = ()

    def scene(self, scene: Scene, value):
        """The scene with this cause; None where it cannot have it."""
        changed = scene.copy()
        return None if self.edit(changed, value) is False else changed

    def addresses(self) -> list:
        return [f"https://github.com/{one.replace('#', '/issues/')}" for one in self.threads]

    def each(self) -> list:
        """One cause for each variant."""
        return [dataclasses.replace(self, variants=(), edit=functools.partial(self.edit, **one))
                for one in self.variants] or [self]


def stated_alone(name: str, title: str, check: str, seen=lambda points: "") -> Cause:
    """A cause that no scenario stands for: lines of a log state it, or its times show it."""
    return Cause(name, title, check, lambda scene: [], lambda scene, value: False, seen=seen)


def share(value: float) -> str:
    return f"{100 * value:g} %"


def protocols(scene: Scene) -> list:
    """The costs of NCCL's protocols, of a library that has them."""
    return [scene.blocks[name] for name in ("LL", "LL128", "Simple") if name in scene.blocks]
