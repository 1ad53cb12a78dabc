# SPDX-License-Identifier: LGPL-2.1-or-later
"""The project's Python beside its data: the fit and the pictures, which are programs as well."""

from __future__ import annotations

import importlib
import importlib.machinery
import importlib.util
import os
import shutil
import sys
from types import ModuleType
from typing import Any

from ringscope import _core


def package(name: str) -> ModuleType:
    """`validation` or `plots`, with the `common` of both, from where the data are. Raises
    ImportError where another package has one of these names already."""
    if name != "common":
        package("common")
    root = _core.data_directory()
    loaded = sys.modules.get(name)
    if loaded is not None:
        if not any(os.path.realpath(folder) == os.path.realpath(os.path.join(root, name))
                   for folder in getattr(loaded, "__path__", ())):
            raise ImportError(f"another package is loaded as '{name}': {loaded}")
        return loaded
    spec = importlib.machinery.PathFinder.find_spec(name, [root])
    if spec is None or spec.loader is None:
        raise ImportError(f"no package '{name}' is in {root}")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def module(name: str) -> Any:
    """A module of `common`, `plots` or `validation` by its whole name; package() raises."""
    package(name.partition(".")[0])
    return importlib.import_module(name)


def program() -> str:
    """The simulator's own program, which the fit of collectives runs; "" where there is none."""
    chosen = os.environ.get("RINGSCOPE")
    beside = os.path.join(_core.data_directory(), "..", "..", "bin", "ringscope")
    built = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(
        os.path.realpath(_core.__file__)))), "ringscope")
    for path in (chosen, built, beside, shutil.which("ringscope")):
        if path and os.access(path, os.X_OK) and os.path.isfile(path):
            return os.path.normpath(path)
    return ""
