# SPDX-License-Identifier: LGPL-2.1-or-later
"""Random programs on groups: steps that all ranks do, on streams, in loops, with dependences.

Valid as they are made: each message stands beside its receive and begins together with it, and
steps wait for what stands before them.
"""

from .quantities import number, time, size, Time

STREAMS = ["main", "main", "beside", "comm"]
MOST_MESSAGES = 600  # of all ranks, in all turns


def factors(random, ranks):
    """Sizes of two kinds of groups that make a grid of the ranks."""
    return random.choice([(inner, ranks // inner) for inner in range(1, ranks + 1)
                          if ranks % inner == 0])


class Program:
    def __init__(self, random, catalogue, ranks):
        self._random, self._ranks = random, ranks
        self._algorithms = [
            one for algorithms in catalogue.of.values() for one in algorithms
            if one["threads"] == 1 and not one["nonblocking"] and not one["selects"]
            and not {"model", "channels"} & set(one["options"])
            and one["algorithm"] != "ring_threads"
            and one["collective"] in ("allreduce", "allgather", "reduce_scatter", "broadcast",
                                      "alltoall", "barrier")]
        self._names, self._tags, self._messages = [], 0, 0
        inner, outer = factors(random, ranks)
        self.made = {"groups": {"order": "x-y", "x": inner, "y": outer},
                     "values": {"work": time(random, 1e-6, 1e-4)},
                     "program": self._steps(1, [], random.randint(2, 5))}
        if random.random() < 0.5:
            members = random.sample(range(ranks), random.randint(1, ranks))
            self.made["groups"]["some"] = members
            self.made["program"].append({"allreduce": f"{size(random)} B", "group": "some"})
            self.made["program"].append({"compute": "2 * work", "on": {"some": "first"}})

    def _steps(self, turns, indices, count):
        return [self._step(turns, indices) for _ in range(count)]

    def _step(self, turns, indices):
        random = self._random
        kind = random.choice(["compute", "collective", "collective", "halo", "repeat", "wait"])
        if kind == "repeat" and len(indices) < 2:
            times, index = random.randint(1, 3), f"i{len(indices)}"
            return {"repeat": times, "index": index,
                    "steps": self._steps(turns * times, [*indices, index], random.randint(1, 3))}
        step = self._leaf(kind, turns, indices)
        step["stream"] = random.choice(STREAMS)
        if self._names and random.random() < 0.5:
            step["after"] = random.choice(self._names)
        if random.random() < 0.5:
            step["name"] = f"step{len(self._names)}"
            self._names.append(step["name"])
        return step

    def _leaf(self, kind, turns, indices):
        random = self._random
        if kind == "wait" and self._names:
            return {"wait": random.sample(self._names, 1)}
        self._messages += turns * self._ranks * 8
        if kind == "halo" and self._messages < MOST_MESSAGES:
            return {"together": self._halo(random.choice(["x", "y", "all"]))}
        if kind == "collective" and self._messages < MOST_MESSAGES:
            one = random.choice(self._algorithms)
            data = None if one["collective"] == "barrier" else f"{size(random)} B"
            return {one["collective"]: data, "algorithm": one["algorithm"],
                    "group": random.choice(["x", "y", "all"])}
        if indices and random.random() < 0.5:
            return {"compute": f"work * (1 + {random.choice(indices)})"}
        return {"compute": Time(number(random, 1e-6, 1e-4))}

    def _halo(self, group):
        """Messages to the next and the previous one, in any order."""
        self._tags += 1
        data, around = f"{size(self._random)} B", self._random.random() < 0.5
        messages = [{"send": data, "to": "next"}, {"receive": data, "from": "previous"}]
        if self._random.random() < 0.5:
            messages += [{"send": data, "to": "previous", "tag": 500 + self._tags},
                         {"receive": data, "from": "next", "tag": 500 + self._tags}]
        self._random.shuffle(messages)
        return [{"tag": self._tags, "group": group, "around": around, **one} for one in messages]


def job(random, catalogue, ranks):
    return Program(random, catalogue, ranks).made
