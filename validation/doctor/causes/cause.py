# SPDX-License-Identifier: LGPL-2.1-or-later
"""A known cause: what it is, how to look for it, and which edits of the scenario stand for it."""

import dataclasses
from typing import Callable

from validation.doctor.scenario.scene import Scene

FREQUENT, RARE = 2.0, 0.3


@dataclasses.dataclass(frozen=True)
class Cause:
    """`values(scene)`: its severities, mild to heavy, [] where it cannot be; `edit(scene, value)`
    changes the scene, which is a copy, and returns False where that is not possible; `words(value)`
    says a severity. `ordered`: between two severities lie others. `weight`: how probable it is
    before the data, against the others; a guess from what users report: FREQUENT, 1 or RARE."""

    name: str
    title: str
    check: str
    values: Callable[[Scene], list]
    edit: Callable[[Scene, object], object]
    words: Callable[[object], str] = str
    ordered: bool = True
    weight: float = 1.0

    def scene(self, scene: Scene, value):
        """The scene with this cause; None where it cannot have it."""
        changed = scene.copy()
        return None if self.edit(changed, value) is False else changed


def share(value: float) -> str:
    return f"{100 * value:g} %"


def protocols(scene: Scene) -> list:
    """The costs of NCCL's protocols, of a library that has them."""
    return [scene.blocks[name] for name in ("LL", "LL128", "Simple") if name in scene.blocks]
