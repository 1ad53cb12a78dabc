# SPDX-License-Identifier: LGPL-2.1-or-later
"""Does the page of `ringscope lesson` show the lines at which ranks are, and queues at resources?

Usage: python3 -m plots.lesson_source_test BUILD, as lesson_test.py.
"""

from plots.lesson_test import Keys, Page, main


class Source(Page):
    def test_each_rank_is_at_the_line_of_its_verb(self):
        verbs = {"reduce": "comm.reduce(", "in_send": "comm.send(", "in_wait": "comm.wait("}
        self.open(self.anomaly)
        seen = set()
        for share in (0.1, 0.3, 0.45, 0.7, 0.9):
            self.run_script(f"clock.goTo({share} * views[0].one.seconds)")
            for rank in range(8):
                activity, phase, lines, before = self.run_script(f"""
                    chosen.rank = -1; chooseRank({rank});
                    const {{one, source}} = views[0];
                    const span = one.spans.at({rank}, one.tick(clock.seconds));
                    const rows = [...source.node.querySelectorAll(".row")];
                    const lit = rows.filter(row => row.classList.contains("chosen"));
                    const words = list => list.map(row => row.textContent).join("");
                    return [ACTIVITIES[span?.activity], one.spans.places[span?.place]?.[0],
                      words(lit), words(rows.slice(0, rows.indexOf(lit[0])))];""")
                if activity not in verbs:
                    continue
                self.assertIn(f"rank {rank}", lines)
                self.assertIn(verbs[activity], lines)
                self.assertEqual(before.split('comm.phase("')[-1].split('"')[0], phase)
                seen.add((activity, phase))
        self.assertGreaterEqual(len(seen), 4)

    def test_steps_of_a_program_are_lines_of_its_scenario(self):
        self.open(self.make("pipeline.html", "a-pipeline-by-hand", "--case",
                            "all forward then all backward"))
        named, paths = self.run_script("""
            const {one, source} = views[0], rows = [...source.node.querySelectorAll(".row")];
            const at = share => {
              clock.goTo(share * one.seconds);
              chosen.rank = -1; chooseRank(0);
              const span = one.spans.at(0, one.tick(clock.seconds));
              return [one.spans.places[span?.place]?.[0],
                rows.filter(row => row.classList.contains("chosen"))
                  .map(row => row.textContent).join("").trim()];
            };
            return [Array.from({length: 40}, (_, i) => at((i + 0.5) / 40)),
              [...source.node.querySelectorAll(".path")].map(path => path.textContent)]""")
        self.assertEqual(paths, ["scenario.yaml"])
        lines = {"forward": "{compute: forward, name: forward}",
                 "backward": "{compute: 2 * forward, name: backward}"}
        seen = [(name, line) for name, line in named if name in lines]
        self.assertEqual({name for name, _ in seen}, set(lines))
        for name, line in seen:
            self.assertIn(lines[name], line)

    def test_ranks_of_a_run_with_too_many_spans_are_at_lines_too(self):
        self.open(self.make("many.html", "02-ring-of-8", "--set", "cluster=star64", "--set",
                            "placement=1x64", "--set", "job.bytes=1 MiB"))
        merged, lit = self.run_script("""
            clock.goTo(0.3 * clock.whole);
            const {one, source} = views[0];
            return [one.spans.slots > 0, [...source.node.querySelectorAll(".row.lit")]
              .map(row => row.textContent).join("")]""")
        self.assertTrue(merged)
        self.assertRegex(lit, r"comm\.(send|wait|reduce|irecv)\(")

    def test_the_source_is_folded_on_a_telephone_only(self):
        for width, folded in ((390, True), (1400, False)):
            self.open(self.anomaly, width=width)
            self.assertEqual(self.run_script("return views[0].source.node.open"), not folded)


class Queues(Page):
    def test_two_messages_wait_for_the_core_that_is_alone_on_its_host(self):
        self.open(self.anomaly)
        most = self.run_script("""return views.map(({one}) =>
            Array.from({length: 100}, (_, i) => queuesAt(one, TICKS * (i + 0.5) / 100)
              .find(queue => queue.rank === 7)?.left.length || 0)
            .reduce((sum, chunks) => sum + chunks) / 100)""")
        self.assertLess(most[0], 1.1)
        self.assertGreater(most[1], 1.4)
        self.run_script("clock.goTo(0.3 * clock.whole)")
        drawn, chunks, words = self.run_script("""const {node} = views[1].cluster;
            return [node.querySelectorAll(".queues .slot").length,
              views[1].cluster.queues.queues.reduce((sum, queue) => sum + queue.left.length, 0),
              node.querySelector(".waiting").textContent]""")
        self.assertEqual(drawn, chunks)
        self.assertRegex(words, r"^Waiting: 2 chunks, [\d.]+ MiB for rank 7.s core")
        self.press(Keys.END)
        self.assertEqual(self.texts(".waiting"), ["", ""])

    def test_pushes_of_all_workers_wait_for_the_link_of_the_server(self):
        self.open(self.make("hub.html", "08-parameter-server-hub", "--case", "1 server"))
        waiting, bytes_ = self.run_script("""return [0.05, 0.25, 0.45].map(share =>
            queuesAt(views[0].one, share * TICKS)[0]).reduce(([names, sizes], {part, bytes}) =>
              [[...names, views[0].one.machine.components[part].name], [...sizes, bytes]],
            [[], []])""")
        self.assertEqual(set(waiting), {"host4/nic0"})
        # Half of the run takes the pushes of four workers of 64 MiB each.
        for share, left in zip((0.05, 0.25, 0.45), bytes_):
            self.assertAlmostEqual(left / (256 << 20), 1 - 2 * share, delta=0.02)


if __name__ == "__main__":
    main()
