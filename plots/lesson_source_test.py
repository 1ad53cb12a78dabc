# SPDX-License-Identifier: LGPL-2.1-or-later
"""Does the page of `ringscope lesson` show lines of ranks, queues at resources, words, and zoom?

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

    def test_messages_wait_where_a_run_has_too_many_spans_for_chunks(self):
        self.open(self.make("split.html", "17-which-parallelism-crosses-hosts",
                            "--case", "data groups across"))
        slots, flights, messages, words = self.run_script("""const {one, cluster} = views[0];
            clock.goTo(0.9 * clock.whole);
            return [one.spans.slots, one.flights.list.length, one.report.messages,
              cluster.queues.words.textContent]""")
        self.assertGreater(slots, 0)  # spans are merged
        self.assertEqual(flights, messages)
        self.assertRegex(words, r"^Waiting: \d+ messages, [\d.]+ MiB for host\d/nic\d;")

    def test_too_many_messages_for_queues_are_told(self):
        self.open(self.make("fusion.html", "10-fusion", "--case", "per tensor"))
        words, = self.texts(".waiting")
        self.assertEqual(words, "No queues: the run has too many messages to show.")
        self.assertLessEqual(len(words), 64)

    def test_chunks_of_a_gather_wait_beside_the_square_of_the_root(self):
        self.open(self.make("incast.html", "27-incast"))
        drawn, words = self.run_script("""const {cluster} = views[0], {folded} = cluster;
            const {fillRect} = folded.context, bars = [];
            folded.context.fillRect = (x, y, wide, high) => {
              if (folded.context.fillStyle === colours.of("new")) bars.push([x, high]); };
            const drawn = [0, 0.5, 1].map(share => {
              clock.goTo(share * clock.whole);
              return [bars.splice(0), folded.hosts[0].x + folded.size + 0.5, folded.size]; });
            clock.goTo(0.5 * clock.whole);
            folded.context.fillRect = fillRect;
            return [drawn, cluster.queues.words.textContent];""")
        # Linear: 63 chunks are on their way from the start, and pass one link at its bandwidth.
        for share, (bars, x, size) in zip((0, 0.5), drawn):
            left, high = max(bars, key=lambda bar: bar[1])  # a sender's own NIC may be as busy
            self.assertEqual(left, x)
            self.assertAlmostEqual(high / size, 1 - share, delta=0.02)
        self.assertEqual(drawn[2][0], [])
        self.assertRegex(words, r"^Waiting: 3[0-3] chunks, 12[0-9] MiB for host0/nic0;")


class Words(Page):
    def test_threads_of_nccl_are_no_cpu_and_a_tooltip_names_the_busiest(self):
        self.open(self.make("ll.html", "15-ll-or-simple"))
        text = self.run_script("return byId('verdict').textContent + byId('reasons').textContent")
        self.assertNotIn("CPU copy", text)
        self.assertNotRegex(text, r"numa\d/core\d \(rank")
        self.assertIn("copy on host0/gpu0/thread1 (rank 0)", text)
        on_path = self.run_script("const {timeline, one} = views[0];"
                                  "return timeline.words(0, 0.8 * one.seconds).join()")
        self.assertRegex(on_path, "critical path: ")
        self.assertNotRegex(on_path, "CPU copy|numa")
        lines = self.run_script("return rankTip(views[0].one, 0, TICKS / 2)")
        loads = [int(line.split(": ")[1].split()[0]) for line in lines if " now, " in line]
        self.assertEqual((len(loads), loads), (4, sorted(loads, reverse=True)))
        self.assertRegex(lines[-1], r"^and \d+ more, none as busy$")

    def test_a_reason_names_the_first_of_several_cpus(self):
        self.open(self.make("pageable.html", "12-peers-and-staging", "--case",
                            "no peers and pageable memory"))
        core = r"host0/numa\d/core\d \(rank \d\)"
        self.assertRegex(self.texts("#verdict")[0], "CPUs that move bytes set the pace, on "
                         rf"{core}, {core} and 2 more \(")

    def test_a_wait_for_the_own_stream_differs_from_one_for_several_partners(self):
        self.open(self.make("halo.html", "halo-on-a-torus"))
        words = self.run_script("""const {one} = views[0];
            return one.spans.rows.flatMap((row, rank) =>
              row.filter(span => span.cause === "partner").map(span =>
                [span.peer === rank, spanText(one, span, rank)]))""")
        self.assertIn([True, "blocked in a wait (own thread or stream not ready)"], words)
        self.assertFalse([text for own, text in words if own == (text.find("own thread") < 0)])

    def test_a_name_that_is_changed_has_a_legend(self):
        for name, changed in (("02-ring-of-8", False), ("21-lower-bound", True)):
            self.open(self.make(f"{name}.html", name))
            facts = self.texts(".case .facts")[0]
            self.assertEqual(("*" in facts, "(*: with changed keys)" in facts), 2 * (changed,))


class Zoom(Page):
    def test_times_below_two_fingers_stay_below_them(self):
        self.open(self.anomaly)
        before, after, whole, dragged = self.run_script("""const {timeline} = views[0];
            timeline.canvas.setPointerCapture = () => {};
            const send = (name, pointerId, x) => {
              const event = new PointerEvent(name, {pointerId});
              Object.defineProperty(event, "offsetX", {value: x});
              timeline.canvas.dispatchEvent(event); };
            const times = (...places) => places.map(x => timeline.secondsAt(x));
            send("pointerdown", 1, 200);
            send("pointermove", 1, 260);
            const whole = zoom.to - zoom.from;
            send("pointermove", 1, 200);
            send("pointerdown", 2, 300);
            const before = times(200, 300);
            send("pointermove", 1, 150);
            send("pointermove", 2, 350);
            const after = times(150, 350);
            send("pointerup", 2, 350);
            const held = times(150);
            send("pointermove", 1, 190);
            return [before, after, whole / timeline.whole, [...held, ...times(190)]];""")
        self.assertEqual(whole, 1)  # one finger moves nothing while all is shown
        for one, other in zip([*before, dragged[0]], [*after, dragged[1]]):
            self.assertAlmostEqual(one, other)
        self.assertLess(before[0], before[1])


if __name__ == "__main__":
    main()
