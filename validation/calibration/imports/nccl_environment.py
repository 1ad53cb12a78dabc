# SPDX-License-Identifier: LGPL-2.1-or-later
"""Variables of the environment that explain a time of NCCL; of others nothing is kept.

Logs carry the whole environment of a job, with its tokens and paths: names are of a list, and
values are words and numbers without a slash.
"""

import re

from validation.yaml_files import tables_of

ALLOWED = "|".join(tables_of(__file__))
SET = re.compile(rf"\b(NCCL_(?:{ALLOWED}))(?:=|\s+set (?:by environment )?to )\"?"
                 r"(=?[\w,^:.+-]{1,60})(?![\w/;=])")


def settings_in(texts: list) -> list:
    """"NAME=value" of each variable, by the last line that sets it."""
    found = {name: value.rstrip(".,;") for text in texts for name, value in SET.findall(text)}
    return [f"{name}={value}" for name, value in sorted(found.items())]
