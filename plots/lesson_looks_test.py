#!/usr/bin/python3
"""Does the page of `ringscope lesson` look right on any screen, for any scenario, in few bytes?

Usage: plots/lesson_looks_test.py BUILD, as lesson_test.py.
"""

import re

from lesson_test import Keys, Page, main

BIG = ["02-ring-of-8", "--kernel", "fluid", "--set", "placement=1x256", "--set",
       "job.bytes=16MiB", "--set",
       "cluster={network: fat_tree, k: 12, hosts: 256, link: {bandwidth: 10 Gbit/s, "
       "latency: 5 us}, host: {type: simple, cores: 8}}"]
# What may stand in a page for a reader or as a name, but is never fetched.
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


class Others(Page):
    def test_one_case_stands_alone(self):
        self.open(self.make("ring.html", "02-ring-of-8"))
        self.assertEqual(len(self.texts(".case")), 1)
        self.assertEqual(self.texts("#choose"), [""])
        self.press(Keys.END)
        self.assertIn("64 of 64 chunks complete", self.texts(".step")[0])

    def test_of_many_cases_the_reader_chooses_two(self):
        self.open(self.make("peers.html", "12-peers-and-staging"))
        options = self.texts("#left option")
        self.assertEqual(len(options), 6)
        self.run_script("""document.getElementById("left").value = 2;
            document.getElementById("right").value = 4; choose();""")
        heads = self.run_script("return views.map(view => view.one.name)")
        self.assertEqual(heads, [options[2], options[4]])
        self.assertEqual(self.browser.get_log("browser"), [])

    def test_a_collective_without_chunks_says_so_and_shows_the_rest(self):
        self.open(self.make("servers.html", "08-parameter-server-hub"))
        self.assertIn("No chunk matrix: the ranks of parameter_server do not share out one vector",
                      self.texts(".matrix")[0])
        self.press(Keys.ARROW_RIGHT)
        self.assertGreater(self.run_script("return clock.seconds"), 0)
        self.assertEqual(self.browser.get_log("browser"), [])

    def test_words_of_a_scenario_cannot_become_part_of_the_page(self):
        path = self.make("script.html", "01-two-hosts", "--set", "job.bytes=1KiB", "--set",
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
        # Of a step: what the canvases are asked to draw, and which elements change.
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

    def test_256_ranks_fit_a_telephone(self):
        self.open(self.big, width=360)
        self.assertLessEqual(self.run_script("return document.documentElement.scrollWidth"), 360)


if __name__ == "__main__":
    main()
