# SPDX-License-Identifier: LGPL-2.1-or-later
"""Does place move the parts that its options name, take the worst case that they name, and say
why it has no bound, and where a gain is not certain?

Usage: python3 -m cli.place_parts_test BUILD
"""

import json

from cli.study_for_test import StudyTest, main


SEARCH = ("--set", "job.bytes=1MiB", "--slots", "4", "--budget", "40", "--seed", "5", "--set",
          "job.algorithm=recursive_doubling", "--set", "job.skew=1us")


class PlaceParts(StudyTest):
    def place(self, *words, code=0):
        return self.ringscope("place", *words, "--no-store", code=code)

    def test_a_gain_within_the_intervals_is_not_certain(self):
        (self.folder / "inside.yaml").write_text(
            "question: q\ncluster: h100_nvswitch\nplacement: {hosts: 2-2, on: gpu}\n"
            "library: {base: nccl_h100, spread: {one_host: [{low: 0.5, high: 2}], several_hosts: "
            "[{low: 0.5, high: 2}]}}\n"
            "job: {collective: allreduce, algorithm: nccl, bytes: 1 MiB}\n", encoding="utf-8")
        words = ("inside.yaml", "--verify", "0")
        said = json.loads(self.place(*words, "--json", "-").stdout)
        best, own = said["placements"][0], said["yours"]
        for one in (best, own):
            self.assertAlmostEqual(one["likely"]["low_s"], 0.5 * one["time_s"])
        self.assertNotIn("likely", said["placements"][1])
        self.assertEqual(said["open_order"], "network")
        more = 100 * (own["time_s"] / best["time_s"] - 1)
        screen = self.place(*words).stdout
        self.assertIn(f"no certain gain: {more:.1f} % longer, within the 90 % intervals (other "
                      "network)\n", screen)
        self.assertRegex(screen, r"\n90 % of such machines: .* with the best\n")
        self.assertIn("order not certain within the 90 % intervals: other network\n", screen)
        # Between hosts both have the same error.
        held = self.place(*words, "--slots", "2").stdout
        self.assertIn("90 % of such machines: ", held)
        self.assertNotIn("certain", held)

    def test_parts_of_a_job_move_and_the_others_stay(self):
        (self.folder / "servers.yaml").write_text(
            "question: q\nlibrary: rdma\nplacement: [{hosts: 1x8}, {hosts: 2}]\n"
            "cluster: {base: two_level, racks: 2, hosts_per_rack: 4}\n"
            "job: {collective: parameter_server, algorithm: synchronous, bytes: 1 MB,\n"
            "      options: {servers: 2}}\n", encoding="utf-8")
        screen = self.place("servers.yaml", "--move", "servers", "--json", "p.json").stdout
        self.place("servers.yaml", "--move", "8,9", "--pin", "0-7", "--apart", "servers", "--json",
                   "apart.json")
        for name, most in (("p.json", 2), ("apart.json", 1)):
            answer = json.loads(self.read(name))
            self.assertEqual(answer["ranks"], 10)
            for placed in answer["placements"]:
                hosts = [rank["host"] for rank in placed["ranks"]]
                self.assertEqual(hosts[:8], list(range(8)))
                self.assertLessEqual(hosts[8:].count(hosts[8]), most)
        self.assertTrue(screen.startswith("2 of 10 ranks on 8 hosts: "), screen)
        self.assertIn("expected ranks such as 3,5-7, servers, workers, or a group such as pp=2",
                      self.place("servers.yaml", "--pin", "x", code=1).stderr)

    def test_a_slow_host_is_the_worst_of_the_hosts_with_ranks(self):
        (self.folder / "slow.yaml").write_text(
            "question: q\nlibrary: rdma\nplacement: 1-1\ncluster: {base: star8, hosts: 3}\n"
            "job: {program: [{compute: 1 s}, {allreduce: 1 B}]}\n", encoding="utf-8")
        screen = self.place("slow.yaml", "--objective", "straggler", "--verify", "0").stdout
        self.assertRegex(screen, r"with slow +bottleneck\n")
        self.place("slow.yaml", "--straggler", "host0", "--json", "p.json")
        answer = json.loads(self.read("p.json"))
        self.assertEqual((answer["objective"], answer["yours"]["degraded"]), ("straggler", "host0"))
        self.assertEqual(answer["placements"][0]["degraded"], "")
        screen = self.place("03-anomaly", "--objective", "straggler", "--set", "job.bytes=1KiB",
                            "--budget", "1", "--random", "0", "--verify", "0").stdout
        self.assertIn("warning: 'stragglers' slow computations down, and a collective alone has "
                      "none", screen)

    def test_where_no_bound_is_known_it_says_why(self):
        for words, why in (
                (("place-eight-on-three", *SEARCH),
                 "one is known of up to 20,000 placements with known messages, and of rings"),
                (("place-beside-a-neighbour", "--budget", "20"),
                 "none is known of a mean of several jobs")):
            with self.subTest(words[0]):
                self.place(*words, "--verify", "0", "--json", "p.json")
                answer = json.loads(self.read("p.json"))
                self.assertEqual((answer["bound_s"], answer["no_bound"]), (None, why))
                screen = self.place(*words, "--verify", "0").stdout
                self.assertIn(f"how much better one there may be is not known: {why}\n", screen)


if __name__ == "__main__":
    main()
