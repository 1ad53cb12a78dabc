# SPDX-License-Identifier: LGPL-2.1-or-later
"""Are the files those that the libraries read?

Usage: python3 -m validation.tune.formats_test
"""

import json
import math
import pathlib
import re
import unittest

import jsonschema

from validation.tune.decision import Decided, Range, Row
from validation.tune.formats import (FORMATS, intel, mpich, mpich_limits, nccl, ncclx, open_mpi,
                                      open_mpi_json, open_mpi_own, ucc)
from validation.tune.formats.format import Target
from validation.tune.formats.way import Choice

HERE = pathlib.Path(__file__).resolve().parent / "formats"
TARGET = Target(8, 3, "Written by a test")


def pick(form, collective: str, says: str, segment=None) -> Choice:
    return Choice(next(way for way in form.ways
                       if (way.collective, way.says) == (collective, says)), segment)


def decided(collective: str, *entries) -> Decided:
    """`entries`: (first, last, choice), with the library's own choice in between and around."""
    ranges, next_byte = [], 0
    for first, last, choice in entries:
        ranges += [Range(next_byte, first - 1, None)] if first > next_byte else []
        ranges.append(Range(first, last, choice))
        next_byte = last + 1
    return Decided(collective, [], [*ranges, Range(next_byte, None, None)])


class OpenMpiJson(unittest.TestCase):
    def schema(self) -> dict:
        """The published one, with what it means: its anyOf hold a reference to a list, which no
        validator takes, and it lacks seg_size, which its reader reads."""
        schema = json.loads((HERE / "tuned_dynamic_file_schema.json").read_text(encoding="utf-8"))
        sizes = schema["$defs"].pop("int_or_inf")
        for rules in ("msg_size_rule", "comm_size_rule"):
            for field in schema["$defs"][rules]["properties"].values():
                if "anyOf" in field:
                    field["anyOf"] = sizes
        schema["$defs"]["msg_size_rule"]["properties"]["seg_size"] = {"type": "integer"}
        return schema

    def test_the_file_holds_to_the_published_schema(self):
        form = open_mpi_json.FORMAT
        found = json.loads(form.write([
            decided("allreduce", (1024, 4095, pick(form, "allreduce", "ring")),
                    (4096, 8191, pick(form, "allreduce", "segmented_ring", 65536))),
            decided("broadcast", (64, 100, pick(form, "broadcast", "pipeline", 0)))], TARGET))
        jsonschema.validate(found, self.schema())
        self.assertEqual(found["collectives"]["allreduce"], [{
            "comm_size_min": 8, "comm_size_max": 8, "rules": [
                {"msg_size_min": 1024, "msg_size_max": 4095, "alg": "ring"},
                {"msg_size_min": 4096, "msg_size_max": 8191, "alg": "segmented_ring",
                 "seg_size": 65536}]}])
        self.assertEqual(list(found["collectives"]), ["allreduce", "bcast"])

    def test_a_file_with_nothing_in_it_holds_to_the_schema_and_another_does_not(self):
        found = json.loads(open_mpi_json.FORMAT.write([decided("allreduce")], TARGET))
        jsonschema.validate(found, self.schema())
        with self.assertRaises(jsonschema.ValidationError):
            jsonschema.validate(found | {"collectives": {"allreduse": []}}, self.schema())


class Nccl(unittest.TestCase):
    def test_lines_have_the_fields_and_words_that_nccl_s_example_explains(self):
        example = (HERE / "nccl_tuner.txt").read_text(encoding="utf-8")
        fields = re.search(r"# Format: (\S+)", example)[1].split(",")
        self.assertEqual(nccl.HEADER.split(","), fields)
        words = {name: re.search(rf"# {name}: (.*)", example)[1].split(", ")
                 for name in ("Algorithms", "Protocols")}
        lines = nccl.FORMAT.write([decided(
            "allreduce", (1024, 2047, pick(nccl.FORMAT, "allreduce", "ring LL")),
            (4096, 8191, pick(nccl.FORMAT, "allreduce", "tree LL128, 8 channels")))],
            TARGET).splitlines()
        lines += nccl.FORMAT.write([decided(
            "reduce_scatter", (1, 2, pick(nccl.FORMAT, "reduce_scatter", "ring Simple")))],
            TARGET).splitlines()
        rows = [line.split(",") for line in lines if not line.startswith("#")]
        self.assertEqual(rows, [
            "allreduce,1024,2047,ring,ll,-1,3,8,-1,-1".split(","),
            "allreduce,4096,8191,tree,ll128,8,3,8,-1,-1".split(","),
            "reducescatter,1,2,ring,simple,-1,3,8,-1,-1".split(",")])
        known = re.search(r"# Collective types: (.*)", example)[1].split(", ")
        self.assertEqual({nccl.NAMES.get(name, name) for name in nccl.COLLECTIVES}, set(known))
        for row in rows:
            self.assertEqual(len(row), len(fields))
            self.assertIn(row[3], words["Algorithms"])
            self.assertIn(row[4], words["Protocols"])


class Ncclx(unittest.TestCase):
    def test_sizes_are_those_of_a_rank_and_hosts_without_equal_ranks_match_any(self):
        entry = (8 << 10, (64 << 10) + 7, pick(ncclx.FORMAT, "reduce_scatter", "ring Simple"))
        for target, local in ((Target(8, 2, ""), "4"), (TARGET, "*")):
            text = ncclx.FORMAT.write([decided("reduce_scatter", entry)], target)
            self.assertEqual(text.splitlines()[2], "reducescatter,[1024,8192],ring,simple,-1,"
                                                   f"{target.hosts},{local}")


class Intel(unittest.TestCase):
    def test_a_condition_for_each_range_and_nothing_without_one(self):
        text = intel.FORMAT.write([
            decided("allreduce", (0, 1023, pick(intel.FORMAT, "allreduce", "rabenseifner")),
                    (4096, 8191, pick(intel.FORMAT, "allreduce", "ring"))),
            decided("broadcast")], TARGET)
        self.assertEqual(text.splitlines()[1:],
                         ['export I_MPI_ADJUST_ALLREDUCE="2:0-1023@8-8;8:4096-8191@8-8"'])


class MpichLimits(unittest.TestCase):
    def written(self, collective, ranks, *entries) -> list:
        form = mpich_limits.FORMAT
        ways = {way.algorithm: way for way in form.ways if way.collective == collective}
        return form.write([decided(collective, *(
            (first, last, Choice(ways[name])) for first, last, name in entries))],
            Target(ranks, 4, "")).splitlines()[1:]

    def test_its_own_choice_is_that_of_its_sources(self):
        for collective, ranks, size, name in (
                ("allgather", 416, 81919, "bruck"), ("allgather", 416, 81920, "ring"),
                ("allgather", 512, 524287, "recursive_doubling"),
                ("allgather", 512, 524288, "ring"),
                ("allreduce", 9, 2048, "recursive_doubling"),
                ("allreduce", 9, 2052, "rabenseifner"),
                ("allreduce", 1024, 4092, "recursive_doubling"),  # 1023 elements
                ("broadcast", 8, 12287, "binomial"), ("broadcast", 8, 12288, "scatter_allgather"),
                ("broadcast", 7, 1 << 20, "binomial")):
            self.assertEqual(mpich_limits.FORMAT.own[collective](ranks, size).way.algorithm, name)

    def test_a_limit_moves_to_where_the_entries_want_it(self):
        name = "MPIR_CVAR_ALLGATHER_SHORT_MSG_SIZE"
        self.assertEqual(self.written("allgather", 416, (106496, 1703935, "bruck")),
                         [f"export {name}=1703936"])
        self.assertEqual(self.written("allgather", 416, (1024, 65535, "ring")),
                         [f"export {name}=1024"])
        self.assertEqual(self.written("allreduce", 9, (4096, 8191, "recursive_doubling")),
                         ["export MPIR_CVAR_ALLREDUCE_SHORT_MSG_SIZE=8191"])

    def test_a_limit_passes_no_simulated_size_that_keeps_the_library_s_choice(self):
        form = mpich_limits.FORMAT
        for first, last, name, kept in ((1024, 2047, "ring", 4096),
                                        (1 << 20, 1 << 21, "bruck", 1 << 17)):
            one = decided("allgather", (first, last, Choice(next(
                way for way in form.ways if (way.collective, way.algorithm) ==
                ("allgather", name)))))
            one.rows = [Row("allgather", size, None, [], None, 0.1) for size in (first, kept, last)]
            self.assertEqual(form.write([one], Target(416, 4, "")).splitlines()[1:],
                             [f"# no variable for allgather by {name} from {first} to {last} B"])
            one.rows = [row for row in one.rows if row.bytes != kept]
            self.assertIn("export", form.write([one], Target(416, 4, "")))

    def test_an_entry_that_no_limit_gives_is_named(self):
        self.assertEqual(
            self.written("allgather", 416, (4, 7, "ring"), (106496, 1703935, "bruck"))[1:],
            ["# no variable for allgather by ring from 4 to 7 B"])
        self.assertEqual(self.written("broadcast", 7, (4, 7, "scatter_allgather")),
                         ["# no variable for broadcast by scatter_allgather from 4 to 7 B"])


class Ucc(unittest.TestCase):
    def test_a_token_for_each_range(self):
        text = ucc.FORMAT.write([
            decided("allreduce", (0, 1023, pick(ucc.FORMAT, "allreduce", "sra_knomial")),
                    (4096, 8191, pick(ucc.FORMAT, "allreduce", "knomial"))),
            decided("broadcast", (64, 127, pick(ucc.FORMAT, "broadcast", "knomial")))], TARGET)
        self.assertEqual(text.splitlines()[1],
                         "UCC_TL_UCP_TUNE=allreduce:0-1024:host:[8-8]:inf:@sra_knomial"
                         "#allreduce:4096-8192:host:[8-8]:inf:@knomial"
                         "#bcast:64-128:host:[8-8]:inf:@knomial")
        self.assertNotIn("TUNE", ucc.FORMAT.write([decided("allreduce")], TARGET))

    def test_its_own_choice_is_that_of_its_sources(self):
        for ranks, size, says in ((8, 4095, "knomial"), (8, 4096, "sra_knomial")):
            self.assertEqual(ucc.FORMAT.own["allreduce"](ranks, size).way.says, says)
        for ranks, size, says in ((2, 1 << 20, "knomial"), (3, 32767, "knomial"),
                                  (3, 32768, "sag_knomial")):
            self.assertEqual(ucc.FORMAT.own["broadcast"](ranks, size).way.says, says)


class Mpich(unittest.TestCase):
    def chosen(self, text: str, collective: str, ranks: int, size: int) -> str:
        sizes = {"avg_msg_size": size // ranks if collective == "alltoall" else size,
                 "total_msg_size": size}
        return mpich.chosen(json.loads(text)[f"collective={collective}"], ranks, sizes, size // 4)

    def test_its_own_choice_is_that_of_its_selection(self):
        for collective, ranks, size, says in (
                ("allreduce", 8, 8, "MPIR_Allreduce_intra_recursive_doubling"),
                ("allreduce", 8, 28, "MPIR_Allreduce_intra_recursive_doubling"),  # fewer than ranks
                ("allreduce", 8, 32, "MPIR_Allreduce_intra_reduce_scatter_allgather"),
                ("allgather", 8, 524287, "MPIR_Allgather_intra_recursive_doubling"),
                ("allgather", 8, 524288, "MPIR_Allgather_intra_ring"),
                ("allgather", 6, 81919, "MPIR_Allgather_intra_brucks"),
                ("alltoall", 8, 8 * 256, "MPIR_Alltoall_intra_brucks"),
                ("alltoall", 8, 8 * 257, "MPIR_Alltoall_intra_scattered"),
                ("alltoall", 7, 7 * 32769, "MPIR_Alltoall_intra_pairwise"),
                ("broadcast", 7, 1 << 20, "MPIR_Bcast_intra_binomial")):
            self.assertEqual(mpich.FORMAT.own[collective](ranks, size).way.says, says)

    def test_the_file_changes_what_it_has_entries_for_and_nothing_else(self):
        other = "MPIR_Allreduce_intra_recursive_doubling"
        pairs = "MPIR_Alltoall_intra_pairwise"
        text = mpich.FORMAT.write([
            decided("allreduce", (1024, 4095, pick(mpich.FORMAT, "allreduce", other))),
            decided("alltoall", (8 * 512, 8 * 1024 - 1, pick(mpich.FORMAT, "alltoall", pairs)))],
            TARGET)
        for collective, low, high, says in (("allreduce", 1024, 4095, other),
                                            ("alltoall", 8 * 512, 8 * 1023, pairs)):
            for ranks in (7, 8, 9):
                for size in (low - 8, low, high, high + 8):
                    inside = ranks == 8 and low <= size <= high
                    self.assertEqual(self.chosen(text, collective, ranks, size), says if inside
                                     else self.chosen(mpich.SELECTION, collective, ranks, size),
                                     (ranks, size))
        self.assertEqual({key for key, tree in json.loads(text).items()
                          if tree != json.loads(mpich.SELECTION)[key]},
                         {"collective=allreduce", "collective=alltoall"})

    def test_the_mpich_of_this_machine_knows_the_names(self):
        library = next(pathlib.Path("/usr/lib").glob("*/libmpich.so.12"), None)
        if library is None:
            self.skipTest("there is no MPICH")
        content = library.read_bytes()
        for way in mpich.WAYS:
            self.assertIn(f"algorithm={way.says}".encode(), content)


class OpenMpiOwn(unittest.TestCase):
    # Rows of coll_tuned_decision_fixed.c at both sides of their borders, by a rank's block.
    def test_its_own_choice_is_that_of_its_sources(self):
        for collective, ranks, size, says in (
                ("allgather", 2, 2 << 20, "ring"),
                ("allgather", 8, 8 << 20, "recursive_doubling"),
                ("allgather", 6, 6 << 20, "bruck"),
                ("allgather", 32, 32 * 1023, "recursive_doubling"),
                ("allgather", 32, 32 * 65536, "ring"),
                ("alltoall", 7, 7 * 524287, "posted"),
                ("alltoall", 7, 7 * 524288, "pairwise"),
                ("alltoall", 64, 64 * 1023, "bruck"),
                ("gather", 8, 8 << 20, "binomial"),
                ("gather", 7, 7 * 8191, "linear"),
                ("reduce_scatter", 8, 262143, "recursive_halving"),
                ("reduce_scatter", 8, 262144, "ring"),
                ("scatter", 8, 8 * 16383, "binomial"),
                ("scatter", 8, 8 * 16384, "linear")):
            self.assertEqual(open_mpi.OWN[collective](ranks, size).way.algorithm, says,
                             (collective, ranks, size))

    def test_every_number_of_the_rules_has_a_stand_in_that_the_simulator_has(self):
        for collective, rules in open_mpi_own.RULES.items():
            for rule in rules:
                for _, number in rule["algorithms"]:
                    self.assertIn(number, open_mpi_own.STANDS_FOR[collective])
                self.assertEqual(rule["algorithms"][-1][0], math.inf)
            self.assertEqual(rules[-1]["ranks"], math.inf)

    def test_names_in_json_are_those_of_the_schema(self):
        text = (HERE / "tuned_dynamic_file_schema.json").read_text(encoding="utf-8")
        known = json.loads(text)["$defs"]["collective_identifier"]["enum"]
        for name in open_mpi.OWN:
            self.assertIn(open_mpi_json.NAMES.get(name, name), known)


class All(unittest.TestCase):
    def test_each_way_is_an_algorithm_of_the_simulator(self):
        root = HERE.parent.parent.parent
        names = set(re.findall(r"ALGORITHM\((\w+)\)",
                               (root / "algorithms" / "catalogue.def").read_text()))
        for form in FORMATS.values():
            for way in form.ways:
                self.assertIn(f"{way.algorithm}_{way.collective}", names, form.name)

    def test_own_choices_are_there_for_each_collective(self):
        for form in FORMATS.values():
            for collective in form.collectives:
                self.assertEqual(form.own[collective](8, 1 << 20).way.collective, collective)

    def test_recursive_doubling_of_an_allgather_wants_a_power_of_two(self):
        counts = [len(mpich.FORMAT.ways_of("allgather", ranks)) for ranks in (6, 8)]
        self.assertEqual(counts, [2, 3])

    def test_the_numbers_of_collectives_are_those_of_open_mpi_s_header(self):
        # The list of all in ompi_common's order, as `coll_tuned_*` of ompi_info cannot tell it.
        order = ("allgather allgatherv allreduce alltoall alltoallv alltoallw barrier broadcast "
                 "exscan gather gatherv reduce reduce_scatter reduce_scatter_block scan scatter "
                 "scatterv").split()
        for name, number in open_mpi.COLLECTIVES.items():
            self.assertEqual(order.index(name), number)


if __name__ == "__main__":
    unittest.main()
