# SPDX-License-Identifier: LGPL-2.1-or-later
"""The tuning as JSON: times in seconds, sizes in bytes, gains as shares of the own time."""

import json
import math

from validation.tune.decision import Decided, Row, Timed
from validation.tune.formats.way import Choice
from validation.tune.ground import Ground

SCHEMA = 1


def choice_of(choice: Choice) -> dict:
    found = {"name": choice.way.says or None, "algorithm": choice.way.algorithm,
             "options": dict(choice.way.options)}
    return found | ({} if choice.segment is None else {"segment": choice.segment})


def timed_of(timed: Timed) -> dict:
    return choice_of(timed.choice) | {"time_s": timed.seconds, "chosen": timed.chosen}


def row_of(row: Row) -> dict:
    def gaining(one):
        return one and timed_of(one) | {"gain": row.gain_of(one)}

    return {"bytes": row.bytes, "own": timed_of(row.own),
            "simulated": list(map(gaining, row.ranked)), "lacking": gaining(row.lacking),
            "error": row.error if math.isfinite(row.error) else None, "entry": gaining(row.entry)}


def collective_of(one: Decided) -> dict:
    return {"collective": one.collective, "sizes": [row_of(row) for row in one.rows],
            "ranges": [{"first": part.first, "last": part.last,
                        "choice": part.choice and choice_of(part.choice)} for part in one.ranges]}


def json_text(where: Ground, form, found: list) -> str:
    document = {"schema": SCHEMA, "cluster": where.name, "library": where.costs_name,
                "placement": where.placement, "ranks": where.ranks, "hosts": where.hosts,
                "model_error": where.family if where.error is None else where.error,
                "format": form.name, "collectives": [collective_of(one) for one in found],
                "notes": where.notes}
    return json.dumps(document, indent=1, ensure_ascii=False, allow_nan=False) + "\n"
