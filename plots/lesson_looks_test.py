# SPDX-License-Identifier: LGPL-2.1-or-later
"""Does the page of `ringscope lesson` look right on any screen, for any scenario, in few bytes?

Usage: python3 -m plots.lesson_looks_test BUILD, as lesson_test.py.
"""

import re

from plots.lesson_test import Keys, Page, main

BIG = ["02-ring-of-8", "--kernel", "fluid", "--set", "placement=1x256", "--set",
       "job.bytes=16MiB", "--set",
       "cluster={network: fat_tree, k: 12, hosts: 256, link: {bandwidth: 10 Gbit/s, "
       "latency: 5 us}, host: {type: simple, cores: 8}}"]
# Eight hosts of eight GPUs and eight NICs, in two racks with sixteen uplinks each
GPUS = ["02-ring-of-8", "--kernel", "fluid", "--set", "library=cuda_pinned", "--set",
        "placement={hosts: 8x8, on: gpu}", "--set", "job.bytes=16MiB", "--set",
        "cluster={network: two_level, racks: 2, hosts_per_rack: 4, uplinks: 16, "
        "uplink: {bandwidth: 200 Gbit/s, latency: 1 us}, "
        "link: {bandwidth: 200 Gbit/s, latency: 0.6 us}, "
        "host: {type: pcie_tree, sockets: 2, cores: 64, memory_bandwidth: 204.8 GB/s, "
        "socket_link: {bandwidth: 96 GB/s, latency: 100 ns}, switches_per_socket: 2, "
        "switch_uplink: {bandwidth: 31.5 GB/s, latency: 150 ns}, gpus_per_switch: 2, "
        "gpu: {bandwidth: 31.5 GB/s, latency: 150 ns, memory: 40 GB, "
        "memory_bandwidth: 1555 GB/s}, nics: ["
        + ", ".join(f"{{switch: {i // 2}, bandwidth: 31.5 GB/s, latency: 150 ns}}"
                    for i in range(8))
        + "], nvswitch: {bandwidth: 300 GB/s, latency: 300 ns}}}"]
# Names that may stand in a page, for a reader, but are never fetched.
NAMES = re.compile(r"http://www\.w3\.org/\d+/svg")


class Looks(Page):
    def test_pictures_are_not_blank_and_light_and_dark_differ(self):
        self.open(self.anomaly)
        self.press(Keys.ARROW_RIGHT)
        light = self.picture()
        self.assertGreater(min(self.shades()), 20)
        self.click("theme")
        dark = self.picture()
        self.assertNotEqual(light, dark)
        self.open(self.anomaly, scheme="dark")
        ground = "return getComputedStyle(document.body).backgroundColor"
        by_system = self.run_script(ground)
        self.click("theme")
        self.assertNotEqual(self.run_script(ground), by_system)

    def test_nothing_scrolls_sideways_from_a_telephone_to_a_wide_screen(self):
        for width in (360, 600, 899, 900, 1400, 2560):
            with self.subTest(width=width):
                self.open(self.anomaly, width=width)
                self.assertLessEqual(
                    self.run_script("return document.documentElement.scrollWidth"), width)
                wide = self.run_script("""return [...document.querySelectorAll("canvas, svg")]
                    .map(one => one.getBoundingClientRect().right)""")
                self.assertLessEqual(max(wide), width)

    def test_a_page_that_is_folded_away_draws_without_an_error(self):
        self.open(self.anomaly)
        for width in ("1px", "30px", "0", ""):
            self.run_script(f"""document.getElementById("cases").style.width = "{width}";
                resize(); clock.forward();""")
        self.assertEqual(self.browser.get_log("browser"), [])

    def test_shades_of_grey_tell_more_from_less(self):
        for scheme in ("light", "dark"):
            self.open(self.anomaly, scheme=scheme)
            greys = self.run_script("""return [1, 2, 3, 4, 5, 6, 7, 8].map(count => {
                const [r, g, b] = views[0].matrix.shade({contributions: count});
                return 0.299 * r + 0.587 * g + 0.114 * b; })""")
            steps = [after - before for before, after in zip(greys, greys[1:])]
            self.assertGreater(min(map(abs, steps)), 8)
            self.assertEqual(len({step > 0 for step in steps}), 1)

    def test_with_reduced_motion_it_hops_from_step_to_step(self):
        self.open(self.anomaly, motion="reduce")
        self.run_script("clock.toggle(); clock.hop()")
        stops = self.run_script("return clock.stops")
        self.assertEqual(self.state()[0], stops[1])
        self.run_script("clock.pause()")

    def test_the_page_is_one_small_file_that_names_no_address(self):
        text = self.anomaly.read_text(encoding="utf-8")
        self.assertLess(len(text.encode()), 500_000)
        self.assertNotRegex(NAMES.sub("", text), r"https?://|//[a-z]+\.[a-z]+/|@import|src=")

    def test_the_same_scenario_gives_the_same_bytes(self):
        again = self.make("again.html", "03-anomaly")
        self.assertEqual(again.read_bytes(), self.anomaly.read_bytes())


# Rows of the drawn line at places of a timeline: ranks, and what lies between; null: no line
LINE = """
const rowsAt = (timeline, places) => {
  const lines = [], Drawn = Path2D;
  Path2D = class extends Drawn {
    moveTo(x, y) { this.at = [x, y]; super.moveTo(x, y); }
    lineTo(x, y) { lines.push([...this.at, x, y]); this.at = [x, y]; super.lineTo(x, y); }
  };
  timeline.paint(timeline.context);
  Path2D = Drawn;
  return places.map(x => {
    const line = lines.find(([from, , to]) => from <= x && x <= to);
    if (!line) return null;
    const [from, one, to, other] = line, y = one + (other - one) * (x - from) / (to - from || 1);
    return (y - timeline.y(0)) / timeline.rowHeight - 0.5; });
};"""


class Paths(Page):
    def rows(self, path):
        """Rows of the line in the middle of each tenth of the run."""
        return self.run_script(f"""{LINE}
            const {{timeline}} = views[0];
            timeline.one.path = {path};
            return rowsAt(timeline, Array.from({{length: 10}}, (_, i) =>
              timeline.xOfTick((i + 0.5) / 10 * TICKS)));""")

    def test_a_message_slopes_from_its_sender_to_its_receiver(self):
        self.open(self.anomaly)
        rows = self.rows("""[[0, 1e5, "overhead", 6, ""], [1e5, 5e5, "wire", -1, "a", 6, 2],
            [5e5, 9e5, "latency", -1, "", 6, 2], [9e5, 1e6, "reduce", 2, ""]]""")
        for row, wanted in zip(rows, [6, 5.75, 5.25, 4.75, 4.25, 3.75, 3.25, 2.75, 2.25, 2]):
            self.assertAlmostEqual(row, wanted, delta=0.05)

    def test_no_line_is_drawn_where_no_rank_is_known(self):
        self.open(self.anomaly)
        rows = self.rows("""[[0, 2e5, "overhead", 6, ""], [2e5, 8e5, "wire", -1, "a"],
            [8e5, 1e6, "reduce", 2, ""]]""")
        self.assertEqual([row and round(row, 3) for row in rows], [6, 6] + 6 * [None] + [2, 2])

    def test_a_thread_that_works_is_in_the_row_of_its_rank(self):
        self.open(self.make("nic.html", "16-the-missing-nic"))
        places = self.run_script(f"""{LINE}
            const {{timeline, one}} = views[0], owner = /\\(rank (\\d+)\\)/;
            const long = one.path.filter(([start, end, , , resource]) =>
              end - start > 15000 && owner.test(resource));
            const rows = rowsAt(timeline, long.map(([start, end]) =>
              timeline.xOfTick((start + end) / 2)));
            return long.map(([, , , , resource, from = -1, to = -1], i) =>
              [Number(owner.exec(resource)[1]), from, to, rows[i]]);""")
        self.assertGreater(len({owner for owner, *_ in places}), 12)
        for owner, sender, receiver, row in places:
            ends = (sender, receiver) if sender >= 0 else (owner, owner)
            self.assertGreaterEqual(row, min(ends) - 0.01)
            self.assertLessEqual(row, max(ends) + 0.01)

    def test_messages_of_the_path_have_a_sender_and_a_receiver(self):
        for name in ("02-ring-of-8", "16-the-missing-nic"):
            with self.subTest(name):
                self.open(self.make(f"{name}.html", name))
                known, all_of_it = self.run_script("""const {path} = CASES[0];
                    const sum = list => list.reduce((all, [from, to]) => all + to - from, 0);
                    return [sum(path.filter(([, , , rank, , from, to]) => rank >= 0 ||
                      from >= 0 && to >= 0 && from !== to)), sum(path)];""")
                self.assertGreater(known, 0.95 * all_of_it)


class Others(Page):
    def test_one_case_stands_alone(self):
        self.open(self.make("ring.html", "02-ring-of-8"))
        self.assertEqual(len(self.texts(".case")), 1)
        self.assertEqual(self.texts("#choose"), [""])
        self.press(Keys.END)
        self.assertIn("64 of 64 chunks complete", self.texts(".step")[0])

    def test_reader_chooses_two_of_many_cases(self):
        self.open(self.make("peers.html", "12-peers-and-staging"))
        options = self.texts("#left option")
        self.assertEqual(len(options), 4)
        self.run_script("""document.getElementById("left").value = 1;
            document.getElementById("right").value = 3; choose();""")
        heads = self.run_script("return views.map(view => view.one.name)")
        self.assertEqual(heads, [options[1], options[3]])
        self.assertEqual(self.browser.get_log("browser"), [])

    def test_a_collective_without_chunks_shows_the_rest(self):
        self.open(self.make("servers.html", "08-parameter-server-hub"))
        self.assertIn("the ranks of parameter_server do not share out one buffer",
                      self.run_script("return views[0].one.chunks.none"))
        titles = [title.split()[0] for title in self.texts(".case:first-of-type figcaption b")]
        self.assertEqual(titles, ["Cluster", "Timeline", "Source"])
        self.press(Keys.ARROW_RIGHT)
        self.assertGreater(self.run_script("return clock.seconds"), 0)
        self.assertEqual(self.browser.get_log("browser"), [])

    def test_a_deadlock_shows_who_waits_for_whom(self):
        self.open(self.make("deadlock.html", "05-deadlock", code=3))
        self.assertEqual(self.texts(".total"), ["deadlock at 17.00 us"])
        self.assertIn("deadlocks after 17 us: ranks 0, 1 wait for each other",
                      self.texts("#verdict")[0])
        self.assertEqual(self.texts(".waits circle + text"), ["0", "1"])
        self.assertEqual(self.run_script("""return [...document.querySelectorAll(
            ".waits path.wait.cycle")].length"""), 2)
        said = self.texts(".waits li")
        self.assertTrue(said[0].startswith("rank 0 waits for rank 1 to receive"), said)
        self.assertIn("eager limits of library 'openmpi_tcp'", said[-1])
        self.press(Keys.END)
        self.assertIn("stuck at 17.00 us", self.texts(".step")[0])
        self.assertIn("blocked in a send (handshake), rank 1",
                      self.run_script("return views[0].timeline.words(0, clock.whole * 0.99)"))
        self.assertEqual(self.browser.get_log("browser"), [])

    def test_beside_a_case_that_ends_stands_the_one_that_does_not(self):
        self.open(self.make("both.html", "05-deadlock", "--set", "job.bytes=[1 KiB, 1 MiB]",
                            code=3))
        self.assertEqual(len(self.texts(".case")), 2)
        self.assertEqual(len(self.texts(".waits svg")), 1)
        self.assertRegex(self.texts("#verdict")[0],
                         "1 KiB takes .* us; .*1 MiB deadlocks after 17 us: ranks 0, 1 wait")
        self.assertEqual(self.browser.get_log("browser"), [])

    def test_arrows_go_from_the_one_that_waits_and_end_at_the_rims(self):
        self.open(self.make("many.html", "05-deadlock", "--set", "placement=2x4", "--set",
                            "cluster=star8", code=3))
        found = self.run_script("""const {waits} = views[0];
            return [...document.querySelectorAll(".waits path.wait")].map(path => {
              const end = path.getPointAtLength(path.getTotalLength()), start =
                path.getPointAtLength(0);
              const near = point => waits.ranks.map(rank => [rank, Math.hypot(
                waits.place(rank)[0] - point.x, waits.place(rank)[1] - point.y)])
                .sort((a, b) => a[1] - b[1])[0];
              return [near(start), near(end)]; })""")
        self.assertEqual([(start[0], end[0]) for start, end in found],
                         [(rank, rank ^ 1) for rank in range(8)])
        for start, end in found:
            self.assertLess(max(start[1], end[1]), 32)
            self.assertGreater(min(start[1], end[1]), 15)

    def test_words_of_a_scenario_cannot_become_part_of_the_page(self):
        path = self.make("script.html", "traced", "--set",
                         "question='</script><script>document.title = 1 // <!-- & \"why\"?'")
        self.open(path)
        self.assertEqual(self.texts("#question"),
                         ["</script><script>document.title = 1 // <!-- & \"why\"?"])


class Many(Page):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.big = cls.make("big.html", *BIG)

    def test_256_ranks_fit_and_a_step_draws_little(self):
        self.assertLess(self.big.stat().st_size, 5_000_000)
        self.open(self.big)
        self.assertLess(self.run_script("return document.querySelectorAll('*').length"), 3000)
        # One step: what the canvases are asked to draw, and which elements change.
        count = self.run_script("""
            let calls = 0, changed = 0;
            for (const name of ["fillRect", "drawImage", "fillText", "stroke", "fill"]) {
              const original = CanvasRenderingContext2D.prototype[name];
              CanvasRenderingContext2D.prototype[name] = function (...words) {
                ++calls;
                return original.apply(this, words);
              };
            }
            const watch = new MutationObserver(() => {});
            watch.observe(document.body, {subtree: true, childList: true, attributes: true,
              characterData: true});
            clock.forward();
            changed = watch.takeRecords().length;
            return [calls, changed];""")
        self.assertLess(count[0], 2000)
        self.assertLess(count[1], 1500)

    def test_256_ranks_step_to_and_fro_and_come_to_the_end(self):
        self.open(self.big)
        before = self.run_script("return [...views[0].one.chunks.cells]")
        self.press(Keys.ARROW_RIGHT)
        self.assertNotEqual(self.run_script("return [...views[0].one.chunks.cells]"), before)
        self.press(Keys.ARROW_LEFT)
        self.assertEqual(self.run_script("return [...views[0].one.chunks.cells]"), before)
        self.press(Keys.END)
        self.assertEqual(self.run_script("return views[0].one.chunks.complete"), 256 * 256)
        self.assertGreater(min(self.shades()), 3)

    def test_cables_of_64_gpus_run_clear_of_hosts_and_names(self):
        for width in (1400, 1150):
            self.open(self.make("gpus.html", *GPUS), width=width)
            self.assertEqual(self.run_script("return views[0].cluster.folded"), None)
            crossed, labels = self.run_script("""
                const {cluster} = views[0], {components} = cluster.one.machine;
                const boxes = [...cluster.node.querySelectorAll(
                  ".host rect, text.name, text.label")].map(one => [one, one.getBBox()]);
                const crossed = [];
                for (const target of cluster.node.querySelectorAll("line.target")) {
                  const bundle = cluster.bundles[target.dataset.bundle];
                  const kinds = [bundle.from, bundle.to].map(i => components[i].kind);
                  if (!kinds.includes("switch")) continue;
                  for (let i = 1; i < 40; ++i) {
                    const {x, y} = target.getPointAtLength(target.getTotalLength() * i / 40);
                    for (const [one, box] of boxes)
                      if (x > box.x + 1 && x < box.x + box.width - 1 && y > box.y + 8 &&
                          y < box.y + box.height - 1) crossed.push(one.outerHTML.slice(0, 60));
                  }
                }
                return [crossed, [...cluster.node.querySelectorAll("text.count")]
                  .map(one => one.textContent)];""")
            self.assertEqual(crossed, [])
            self.assertEqual(labels, ["16 cables", "16 cables"])

    def test_the_lane_of_a_bundle_is_as_wide_as_its_mean_load(self):
        self.open(self.make("gpus.html", *GPUS))
        self.run_script("clock.goTo(clock.whole / 2)")
        lanes = self.run_script("""const {cluster} = views[0], {one} = cluster;
            return cluster.lanes.filter(lane => lane.of === 16).map(lane => [
              parseFloat(lane.loaded.style.strokeWidth), lane.used.map(load => one.load(load,
                one.tick(clock.seconds)))])""")
        self.assertGreater(len(lanes), 0)
        for width, loads in lanes:
            share = sum(loads) / 16
            self.assertAlmostEqual(width, 1.5 + 4.5 * share if share else 0, delta=0.006)

    def test_256_ranks_fit_a_telephone(self):
        self.open(self.big, width=360)
        self.assertLessEqual(self.run_script("return document.documentElement.scrollWidth"), 360)


if __name__ == "__main__":
    main()
