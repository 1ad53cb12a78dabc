"""Does place under mpirun say what it says alone, though a worker dies on the way?

Usage: python3 -m cli.mpi.place_test BUILD MPIEXEC PROGRAM
"""

import re

from cli.mpi.job_for_test import JobTest, main

# Some 1,700 placements, none of which is skipped through: long enough to be hit on its way.
STUDY = "place-beside-a-neighbour"
PLACE = ("place", STUDY, "--taken", "host9,host10,host11", "--csv", "x.csv", "--json", "x.json")
STORE = f"{STUDY}.sqlite"
SUMMARY = re.compile(r"(\d+) points: (\d+) simulated, (\d+) from the store")


class PlaceUnderMpi(JobTest):
    def answer(self, out):
        return out, self.read("x.csv"), self.read("x.json"), self.rows(STORE)

    def test_a_dead_worker_loses_nothing_and_the_answer_is_that_of_one_process(self):
        alone = self.answer(self.ringscope(*PLACE, "--verify", "0").stdout)
        (self.folder / STORE).unlink()
        job = self.start(*PLACE)
        self.worker(1)
        self.wait_for_rows(job, 20, STORE)
        self.kill_worker(1)
        out, err = self.finish(job)
        points, simulated, stored = (int(number) for number in SUMMARY.search(err).groups())
        self.assertEqual(points, simulated + stored)
        self.assertEqual(simulated, len(alone[-1]))
        self.assertIn("other processes", err)
        self.assertEqual(self.answer(out), alone)

    def test_bad_input_is_said_once_and_the_job_ends(self):
        _, err = self.finish(self.start("place", "03-anomaly", "--order", "rig"), code=1)
        self.assertEqual(err.count("did you mean 'ring'?"), 1, err)


if __name__ == "__main__":
    main()
