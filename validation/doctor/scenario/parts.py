# SPDX-License-Identifier: LGPL-2.1-or-later
"""Clusters and libraries as maps, with what they stand on laid under them."""

import copy
import difflib
import os
import pathlib
import re

from common.programs import InputError
from validation.yaml_files import LOADER, read_yaml

ROOT = pathlib.Path(__file__).resolve().parents[3]
FOLDERS = {"cluster": "topologies/clusters", "library": "scenarios/libraries",
           "transport": "scenarios/transports"}
MOST_BASES = 8
OF_ANY_NETWORK = ("about", "host", "link", "hash_seed")  # keys that any network takes


def is_map(text: str) -> bool:
    return text.startswith("{")


def is_path(text: str) -> bool:
    return is_map(text) or "/" in text or text.endswith((".yaml", ".yml", ".json"))


def folder_of(kind: str) -> pathlib.Path:
    return pathlib.Path(os.environ.get("RINGSCOPE_DATA") or ROOT, FOLDERS[kind])


def names_of(kind: str) -> list:
    """The built-in clusters or libraries."""
    return sorted(path.stem for path in folder_of(kind).glob("*.yaml"))


def clusters_with_gpus_of(text: str) -> list:
    """The built-in clusters whose `about` has a model of GPU, such as H100, that the text names."""
    words = set(re.findall(r"\w+", text))
    return [name for name in names_of("cluster") if words.intersection(re.findall(
        r"\b[A-Z]+\d{2,}X?\b", load(path_of("cluster", name)).get("about", "")))]


def path_of(kind: str, name: str, folder=None) -> str:
    """The file of a built-in name, or of a path seen from `folder`; without it, of an option. A map
    such as {base: pair, hosts: 4} is its own file."""
    if is_path(name):
        return name if is_map(name) else os.path.join(folder or "", name)
    if name not in names_of(kind):
        near = difflib.get_close_matches(name, names_of(kind), 1)
        hint = f"; did you mean '{near[0]}'?" if near else ""
        option = f"--{kind}: " if folder is None else ""
        raise InputError(f"{option}unknown {kind} '{name}'{hint} (known: "
                         f"{', '.join(names_of(kind))}; a file's name ends in .yaml or has a '/')")
    return str(folder_of(kind) / f"{name}.yaml")


def load(path: str) -> dict:
    found = read_yaml(path, loader=LOADER, text=path if is_map(path) else None)
    if not isinstance(found, dict):
        raise InputError(f"{path}: expected a map, got {type(found).__name__}")
    return found


def network(name: str) -> dict:
    """The whole description of a cluster."""
    found = resolved("cluster", name)
    if "network" not in found:
        raise InputError(f"{name}: expected a cluster with the key network, got "
                         f"{', '.join(found) or 'nothing'}")
    return found


def merged(below: dict, above: dict) -> dict:
    """Maps key by key, everything else replaced: as `base` does it."""
    result = dict(below)
    for key, value in above.items():
        old = result.get(key)
        both = isinstance(old, dict) and isinstance(value, dict)
        result[key] = merged(old, value) if both else value
    return copy.deepcopy(result)


def with_transport(library: dict, kind: str) -> dict:
    """A library whose kernels meet the costs of a network between hosts."""
    if "blocks" not in library:
        return library
    found = load(path_of("transport", kind, ""))
    return merged(library, {key: found[key] for key in ("blocks", "spread") if key in found})


def resolved(kind: str, value, folder=None, files: tuple = ()) -> dict:
    """The whole map of a name, a path or a map on a base; a calibration's part of that kind.
    `files`: the files read so far, each of which is based on the next one."""
    if isinstance(value, str):
        path = path_of(kind, value, folder)
        if len(files) > MOST_BASES:
            raise InputError(f"{files[0]}: expected a {kind} on at most {MOST_BASES} bases, got "
                             f"more: {', '.join(pathlib.Path(one).stem for one in files[1:])}")
        found = load(path)
        if {"cluster", "library"} <= found.keys():
            found = found[kind]
        beside = "" if is_map(path) else os.path.dirname(path)
        found = resolved(kind, found, beside, (*files, path))
        return {"name": pathlib.Path(path).stem, **found} if kind == "library" else found
    if not isinstance(value, dict):
        raise InputError(f"{files[-1] if files else kind}: expected the name of a {kind} or a "
                         f"map, got {value!r}")
    if value.get("base") is None:
        return copy.deepcopy({key: one for key, one in value.items() if key != "base"})
    below = resolved(kind, value["base"], folder, files)
    below.pop("name", None)
    if kind == "cluster" and value.get("network", below.get("network")) != below.get("network"):
        below = {key: one for key, one in below.items() if key in OF_ANY_NETWORK}
    return merged(below, {key: one for key, one in value.items() if key != "base"})
