# SPDX-License-Identifier: LGPL-2.1-or-later
"""A small scenario to replay, for the tests of the executors."""

SCENARIO = """question: is it right?
cluster: pair
library: ideal
placement: {ranks}
job: {{collective: {collective}, algorithm: {algorithm}, bytes: {bytes}}}
"""


def scenario(ranks=2, collective="allreduce", algorithm="ring", size="1 MiB"):
    return SCENARIO.format(ranks=ranks, collective=collective, algorithm=algorithm, bytes=size)
