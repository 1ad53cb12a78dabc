# SPDX-License-Identifier: LGPL-2.1-or-later
"""Documents of measurements, read, checked and written: measurement.md says what they hold.

Times are seconds, sizes bytes. Whatever is wrong with an input is an InputError, whose message
names the file, the place in it, what was expected and what stood there.
"""

import contextlib
import dataclasses
import json
import statistics
from typing import NamedTuple

from common.programs import InputError, write_text
from common.quantities import format_bandwidth, parse_quantity
from validation.json_fields import IS, MISSING, Place, is_number, load, shown, take
from validation.yaml_files import tables_of

SCHEMA = 2
MOST_RATE = 1e15  # bytes per second of a rank: a hundred times what any memory of 2026 gives
KINDS = ("probes", "replay", "trace")

*NEEDED, COUNTS, WHERE = tables_of(__file__).values()
PROBES, GPU_PROBES, PARAMETERS = (
    {what: tuple(words.split()) for what, words in table.items()} for table in NEEDED)


@dataclasses.dataclass
class Measurement:
    """One measured point. `document` is the one it stands in; `extra` what we have no name for."""
    what: str
    parameters: dict
    median_s: float
    samples_s: list = dataclasses.field(default_factory=list)
    p10_s: float | None = None
    p90_s: float | None = None
    name: str = ""
    scenario: dict | None = None
    ranks: list = dataclasses.field(default_factory=list)
    document: "Document | None" = dataclasses.field(default=None, repr=False, compare=False)
    extra: dict = dataclasses.field(default_factory=dict, repr=False)


@dataclasses.dataclass
class Document:
    """Content of one file. Missing entries of `where` are there, empty."""
    path: str
    kind: str
    where: dict
    measurements: list
    extra: dict = dataclasses.field(default_factory=dict, repr=False)

    @property
    def foreign_cores(self) -> float | None:
        """Cores that others used meanwhile; None where nobody knows."""
        value = self.where.get("foreign_cores")
        if value is not None and not is_number(value):
            Place(self.path).at("where").at("foreign_cores").fail("a number of cores", value)
        return value

    def __post_init__(self):
        self.where = {key: type(blank)(blank) for key, blank in WHERE.items()} | self.where
        for measurement in self.measurements:
            measurement.document = self


class Spread(NamedTuple):
    median_s: float
    p10_s: float
    p90_s: float


def spread_of(samples_s) -> Spread:
    """Order statistics by linear interpolation between neighbours, as measurement.cpp does it."""
    ordered = sorted(samples_s)

    def quantile(share):
        place = share * (len(ordered) - 1)
        below = int(place)
        above = min(below + 1, len(ordered) - 1)
        return ordered[below] + (place - below) * (ordered[above] - ordered[below])

    return Spread(quantile(0.5), quantile(0.1), quantile(0.9))


def merge_samples(measurements) -> Measurement:
    """One measurement of all samples of the same case, for example from several launches.

    Where only statistics were published the median is that of the medians, and no percentile is
    known."""
    first = measurements[0]
    if len(measurements) == 1:
        return first
    samples = [sample for one in measurements for sample in one.samples_s]
    spread = spread_of(samples) if all(one.samples_s for one in measurements) else Spread(
        statistics.median(one.median_s for one in measurements), None, None)
    return dataclasses.replace(first, samples_s=samples, **spread._asdict())


OF_MPI = " mpi="  # in a key, at its end


def case_key(measurement: Measurement) -> str:
    """The same text for two measurements of the same case, another for any other case."""
    where = measurement.document.where if measurement.document else WHERE
    words = [measurement.what]
    for key, value in sorted(measurement.parameters.items()):
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        words.append(f"{key}={json.dumps(value, sort_keys=True)}")
    link = where["link_bandwidth"]
    with contextlib.suppress(InputError):  # not known, or in somebody's own words
        link = format_bandwidth(parse_quantity(link, "bandwidth"), digits=12)
    mpi = f"{OF_MPI}{json.dumps(where['mpi'])}" if where["mpi"] else ""
    return (" ".join(words) + f" link={json.dumps(link)} emulated={json.dumps(where['emulated'])}"
            + mpi)


def is_among(measurement: Measurement, keys) -> bool:
    """True if the keys hold this case, or, without the MPI library, as older fits wrote them."""
    key = case_key(measurement)
    return key in keys or key.partition(OF_MPI)[0] in keys


# Reading


def check_parameters(kind: str, what: str, parameters: dict, place: Place):
    needed = (PROBES | GPU_PROBES).get(what, ()) if kind == "probes" else PARAMETERS[kind]
    for key in needed:
        if key not in parameters:
            place.at(key).fail(f"the setting of '{what}'")
    for key in COUNTS:
        if key in parameters and not IS["a count"](parameters[key]):
            place.at(key).fail("a count", parameters[key])
    for key, value in parameters.items():
        if not isinstance(value, (str, bool)) and not is_number(value):
            place.at(key).fail("a text, a number or true or false", value)


def check_rate(measured: Measurement, place: Place):
    """A slip in a size would have the simulator send messages for hours."""
    size = measured.parameters.get("bytes", 0)
    if size > MOST_RATE * measured.median_s:
        place.at("parameters").at("bytes").fail(
            f"a size that can be moved in its {measured.median_s:g} s (at most {MOST_RATE:g} B/s)",
            size)


def read_measurement(fields: dict, kind: str, place: Place) -> Measurement:
    fields = dict(fields)
    what = take(fields, "what", "a text that is not empty", place)
    parameters = take(fields, "parameters", "an object", place)
    check_parameters(kind, what, parameters, place.at("parameters"))
    positive = "a time in seconds" if kind == "trace" else "a positive time in seconds"
    samples = take(fields, "samples_s", "a list", place, default=[])
    for index, sample in enumerate(samples):
        take({index: sample}, index, "a time in seconds", place.at("samples_s"))
    measured = Measurement(
        what, parameters, take(fields, "median_s", positive, place), samples,
        take(fields, "p10_s", "a time in seconds", place, default=None),
        take(fields, "p90_s", "a time in seconds", place, default=None),
        take(fields, "name", "a text that is not empty", place,
             **({} if kind == "replay" else {"default": ""})),
        take(fields, "scenario", "an object", place, default=None),
        take(fields, "ranks", "a list", place, default=[]), extra=fields)
    for index, rank in enumerate(measured.ranks):
        take({index: rank}, index, "an object", place.at("ranks"))
        take(dict(rank), "rank", "a count", place.at("ranks").at(index))
    if kind == "replay":
        check_rate(measured, place)
    return measured


def read_where(fields: dict, place: Place) -> dict:
    expected = {str: "a text", list: "a list of texts", float: "a time in seconds", int: "a count"}
    for key, blank in WHERE.items():
        kind = "a text or a list of texts" if key == "nic" else expected[type(blank)]
        take(dict(fields), key, kind, place, default=blank)
    return fields


def check_names(measurements: list, place: Place):
    first = {}
    for index, measurement in enumerate(measurements):
        if measurement.name and measurement.name in first:
            place.at(index).at("name").fail(
                f"a name that measurements[{first[measurement.name]}] has not", measurement.name)
        first[measurement.name] = index


def check_schema(schema, path: str):
    if schema is MISSING:
        raise InputError(f"{path}: schema: expected {SCHEMA}, got nothing: "
                         "this is no document of measurements")
    if schema != SCHEMA or isinstance(schema, bool):
        raise InputError(f"{path}: schema: expected {SCHEMA}, which is all this program reads, "
                         f"got {shown(schema)}: measure again, or import the original output "
                         "again, with the programs of this version")


def read(path: str, kinds=KINDS) -> Document:
    """The document at `path` ("-": standard input), which must be of one of `kinds`."""
    fields = load(path)
    place = Place(path)
    if not isinstance(fields, dict):
        place.fail("an object", fields)
    check_schema(fields.pop("schema", MISSING), path)
    kind = take(fields, "kind", "a text", place)
    if kind not in kinds:
        place.at("kind").fail(" or ".join(f'"{one}"' for one in kinds), kind)
    where = read_where(take(fields, "where", "an object", place), place.at("where"))
    entries = take(fields, "measurements", "a list", place)
    if not entries and not fields.get("refused"):
        place.at("measurements").fail("at least one measurement", entries)
    measurements = []
    for index, entry in enumerate(entries):
        take({index: entry}, index, "an object", place.at("measurements"))
        measurements.append(read_measurement(entry, kind, place.at("measurements").at(index)))
    check_names(measurements, place.at("measurements"))
    return Document(path, kind, where, measurements, fields)


# Writing


def entry_of(measurement: Measurement) -> dict:
    entry = {"name": measurement.name} if measurement.name else {}
    entry |= {"what": measurement.what, "parameters": measurement.parameters,
              "samples_s": measurement.samples_s, "median_s": measurement.median_s}
    for key in ("p10_s", "p90_s", "scenario"):
        if getattr(measurement, key) is not None:
            entry[key] = getattr(measurement, key)
    if measurement.ranks:
        entry["ranks"] = measurement.ranks
    return entry | measurement.extra


def text_of(document: Document) -> str:
    """The document as JSON, one measurement a line."""
    head = {"schema": SCHEMA, "kind": document.kind, "where": document.where} | document.extra
    entries = ",\n".join("    " + json.dumps(entry_of(one), ensure_ascii=False, allow_nan=False)
                         for one in document.measurements)
    top = json.dumps(head, indent=2, ensure_ascii=False, allow_nan=False).removesuffix("\n}")
    return f'{top},\n  "measurements": [\n{entries}\n  ]\n}}\n'


def write(path: str, document: Document):
    write_text(path, text_of(document))
