# SPDX-License-Identifier: LGPL-2.1-or-later
"""Do the importers read tables of non-blocking collectives, and of rates beside times?"""

import pathlib
import unittest

from common.programs import InputError
from validation.calibration import imports
from validation.calibration.imports import published_csv
from validation.calibration.imports.findings import Given
from validation.calibration.imports.source import Source, read_source

PUBLISHED = pathlib.Path(__file__).resolve().parents[2] / "published"

PLAIN = """# OSU MPI Non-blocking Allreduce Latency Test v5.6.3
# Overall = Coll. Init + Compute + MPI_Test + MPI_Wait

# Size           Overall(us)       Compute(us)    Pure Comm.(us)        Overlap(%)
4                       8.77              5.32              4.43             22.08
"""
FULL = """# OSU MPI Non-blocking Barrier Latency Test v5.8
# Overall = Coll. Init + Compute + MPI_Test + MPI_Wait

# Overall(us)  Compute(us)  Coll. Init(us)  MPI_Test(us)  MPI_Wait(us)  Pure Comm.(us)  Overlap(%)
         9.00         5.00            1.00          0.00          3.00            4.50       11.11
"""
IMB_NBC = """# Benchmarking Ibcast
# #processes = 4
       #bytes #repetitions t_ovrl[usec] t_pure[usec]  t_CPU[usec]   overlap[%]
            8         1000         9.40         5.10         5.00        14.00
# Benchmarking Ibcast_pure
# #processes = 4
       #bytes #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]
            8         1000         5.00         5.30         5.10
"""
RATES = """# OSU micro-benchmarks 5.8
benchmark,nodes,ranks_per_node,bytes,median_MBps,least_MBps,most_MBps,runs
osu_bw,2,1,1024,512,500,520,20
"""
TIMES = """# OSU micro-benchmarks 5.8
benchmark,nodes,ranks_per_node,bytes,median_us,least_us,most_us,runs
osu_allreduce,4,2,8,10,9,20,5
"""


def points_of(text, **given):
    source = Source("x.log", text)
    return [(kind, point) for one in imports.formats_of(source)
            for kind, point, _ in one.parse(source, Given(**given)).points]


class NonBlocking(unittest.TestCase):
    """A collective alone, and posted before a computation."""

    def test_is_two_cases_that_differ_in_the_computation(self):
        points = [one for _, one in points_of(PLAIN, nodes=1, ranks_per_node=8)]
        self.assertEqual([(one.median_s, one.parameters["compute_s"], one.scenario["job"])
                          for one in points],
                         [(4.43e-6, 0, {"overlap": "0 s"}),
                          (8.77e-6, 5.32e-6, {"overlap": "5.32e-06 s"})])
        self.assertEqual({one.parameters["collective"] for one in points}, {"allreduce"})

    def test_imb_gives_two_cases_or_one_if_alone(self):
        points = [one for _, one in points_of(IMB_NBC, nodes=2)]
        self.assertEqual([(one.what, one.median_s, one.scenario["job"]) for one in points],
                         [("broadcast", 5.1e-6, {"overlap": "0 s"}),
                          ("broadcast", 9.4e-6, {"overlap": "5e-06 s"}),
                          ("broadcast", 5.3e-6, {"overlap": "0 s"})])

    def test_full_table_without_a_size_gives_the_same_points(self):
        points = [one for _, one in points_of(FULL, nodes=2, ranks_per_node=1)]
        self.assertEqual([(one.what, one.median_s) for one in points],
                         [("barrier", 4.5e-6), ("barrier", 9e-6)])
        self.assertNotIn("bytes", points[0].parameters)

    def test_unknown_collective_is_omitted_and_reported(self):
        source = Source("x.log", PLAIN + PLAIN.replace("Allreduce", "Neighbours"))
        found = imports.osu.parse(source, Given(nodes=1, ranks_per_node=8))
        self.assertEqual(len(found.points), 2)
        self.assertRegex(found.notes[0], "'Non-blocking Neighbours' is no test")

    def test_published_tables_are_read_library_by_library(self):
        source = read_source(str(PUBLISHED / "overlap" / "osu-iallreduce-overlap.csv"))
        name = "mpich@3.3.2 gcc@10.2.0"
        found = published_csv.BESIDE.parse(source, Given(where={"mpi": name}))
        self.assertEqual((len(found.points), found.where["mpi"]), (2 * 19, name))
        with self.assertRaisesRegex(InputError, "one library, or --mpi with one of openmpi@1"):
            published_csv.BESIDE.parse(source, Given())


class Tables(unittest.TestCase):
    def test_rate_table_gives_streams_of_one_pair(self):
        (kind, point), = points_of(RATES)
        self.assertEqual((kind, point.what, point.parameters["way"]),
                         ("probes", "stream", "network"))
        self.assertAlmostEqual(point.median_s, 1024 / 512e6)

    def test_time_table_keeps_minimum_and_maximum(self):
        (_, point), = points_of(TIMES)
        self.assertEqual((point.median_s, point.extra, point.parameters["placement"]),
                         (1e-5, {"least_s": 9e-6, "most_s": 2e-5}, "2x4"))


if __name__ == "__main__":
    unittest.main()
