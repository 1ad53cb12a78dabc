"""What was asked of the lab, and where its answers lie."""

import dataclasses
import pathlib

import yaml

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
FILE = ROOT / "validation" / "campaigns" / "recorded.yaml"
RESULTS = ROOT / "validation" / "results" / "lab" / "recorded"
FIT, PROBES = RESULTS / "fit.yaml", RESULTS / "probes.json"
PREDICTED, MEASURED = RESULTS / "predicted.json", RESULTS / "measured.json"


@dataclasses.dataclass
class Campaign:
    rate: str
    probe: str
    record: str
    placements: list
    launches: int
    programs: dict  # words by name


def read() -> Campaign:
    return Campaign(**yaml.safe_load(FILE.read_text(encoding="utf-8")))


def calls(program: str) -> pathlib.Path:
    """Folder of a program's record."""
    return RESULTS / program
