# SPDX-License-Identifier: LGPL-2.1-or-later
"""The rows of the table of speeds, as rows.yaml lists them, and their judgements.

Chunks of a ring have 1 KiB. A row that compares itself with others names them; its judgement is a
ratio of figures of one run of the table, which holds on a machine of any speed.
"""

import dataclasses
import string

from validation.yaml_files import tables_of

MIB = 1024 * 1024
_, RATIOS, LISTED = tables_of(__file__).values()


@dataclasses.dataclass(frozen=True)
class Row:
    name: str
    text: str                 # name in the table
    what: str                 # "run" or "bare", of the program speed; "smpi"
    size: int                 # ranks
    quick_size: int
    per_host: int = 1
    servers: int = 0
    settings: dict = dataclasses.field(default_factory=dict)
    kernel: str = "fluid"
    skip: bool = False
    tolerance: float = 0
    fold: bool = False        # ranks that are alike are simulated once
    target: str = ""
    judged: str = ""          # a key of JUDGED
    repeated: int = 3

    @property
    def program(self) -> str:
        return "speed" if self.kernel == "fluid" else "speed_simgrid"

    def ranks(self, quick: bool) -> int:
        return self.quick_size if quick else self.size

    def runs(self, quick: bool) -> int:
        return 1 if quick else self.repeated

    def arguments(self, quick: bool) -> list:
        """Arguments of the program speed."""
        ranks = self.ranks(quick)
        if self.what == "bare":
            return ["bare", str(ranks), "--kernel", self.kernel]
        arguments = ["run", "02-ring-of-8", "--kernel", self.kernel]
        if not self.fold:
            arguments.append("--no-fold")
        if not self.skip:
            arguments.append("--no-skip")
        if self.tolerance:
            arguments += ["--tolerance", str(self.tolerance)]
        hosts = ranks // self.per_host
        place = {"ranks": ranks, "hosts": hosts, "per_host": self.per_host,
                 # Smallest k-ary fat tree with this many hosts
                 "ports": next(k for k in range(2, 130, 2) if k ** 3 // 4 >= hosts),
                 "servers": self.servers if ranks == self.size else max(1, ranks // 8)}
        for key, value in self.settings.items():
            arguments += ["--set", f"{key}={string.Template(str(value)).substitute(place)}"]
        return arguments

    def judge(self, results: dict) -> str:
        """Summary of the figures: how they compare, or why there are none."""
        figures = results[self.name]
        if not figures:
            return "omitted: SimGrid's smpicxx was missing at build time"
        if "stopped_s" in figures:
            return f"stopped at {figures['stopped_s']} s"
        return JUDGED[self.judged](self, results) if self.judged else ""


def rate(figures: dict) -> float:
    return figures["messages"] / figures["cpu_s"]


def against(row: Row, results: dict) -> str:
    """A ratio to another row, in the words that RATIOS has for it; "" where that did not end."""
    name, words = RATIOS[row.judged]
    if "cpu_s" not in (other := results.get(name, {})):
        return ""
    own, its = rate(results[row.name]), rate(other)
    return words.format(rate=own / its, cost=its / own)


def against_bound(row: Row, results: dict) -> str:
    """A rank's bytes to all others over its NIC."""
    figures = results[row.name]
    bound = (figures["ranks"] - 1) * MIB / 12.5e9
    return f"{figures['simulated_s'] / bound - 1:+.2%} from the bound of {bound * 1e3:.2f} ms"


def reading(row: Row, results: dict) -> str:
    return f"{results[row.name]['read_s']:.2f} s to read the scenario"


JUDGED = dict.fromkeys(RATIOS, against) | {"bound": against_bound, "reading": reading}
ROWS = [Row(**one) for one in LISTED]
