# SPDX-License-Identifier: LGPL-2.1-or-later
"""Does the page of `ringscope lesson` show what the run said, step by step?

Usage: python3 -m plots.lesson_test BUILD, where BUILD holds the program. Needs chromium,
chromium-driver and python3-selenium; skips where one is missing.
"""

import base64
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
try:
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys
except ImportError as error:
    print(f"SKIP lesson: {error}; install python3-selenium")
    sys.exit(77)


def open_browser():
    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium")
    for word in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                 "--hide-scrollbars", "--window-size=1400,1000"):
        options.add_argument(word)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    return webdriver.Chrome(service=Service(shutil.which("chromedriver")), options=options)


def time_text(seconds, largest=None):
    """As the page and `compare` print it: four digits, in the unit of the largest."""
    largest = seconds if largest is None else largest
    size, unit = next(((s, u) for s, u in ((1, "s"), (1e-3, "ms"), (1e-6, "us"))
                       if largest >= s), (1e-9, "ns"))
    whole = len(str(int(max(largest / size, 1))))
    return f"{seconds / size:.{max(0, 4 - whole)}f} {unit}"


class Page(unittest.TestCase):
    build = browser = None  # all classes of a module share one, and the pages that they make

    @classmethod
    def setUpClass(cls):
        if not Page.browser:
            Page.folder, Page.browser = tempfile.TemporaryDirectory(), open_browser()
            Page.browser.set_script_timeout(100)
            unittest.addModuleCleanup(Page.folder.cleanup)
            unittest.addModuleCleanup(Page.browser.quit)

    anomaly = property(lambda self: self.make("anomaly.html", "03-anomaly"))

    @classmethod
    def ringscope(cls, *arguments, code=0):
        done = subprocess.run([str(cls.build / "ringscope"), *arguments], check=False,
                              capture_output=True, text=True, cwd=ROOT, timeout=250)
        if done.returncode != code:
            raise AssertionError(f"{arguments}: exit code {done.returncode}: {done.stderr}")
        return done.stdout

    @classmethod
    def make(cls, name, *arguments, code=0):
        path = pathlib.Path(cls.folder.name) / name
        if not path.exists():
            cls.ringscope("lesson", *arguments, "-o", str(path), code=code)
        return path

    def open(self, path, width=1400, height=1000, scheme="light", motion="no-preference",
             answer=True):
        """A page; of a lesson with its answer, unless told otherwise."""
        command = self.browser.execute_cdp_cmd
        command("Emulation.setDeviceMetricsOverride",
                {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})
        command("Emulation.setEmulatedMedia", {"features": [
            {"name": "prefers-color-scheme", "value": scheme},
            {"name": "prefers-reduced-motion", "value": motion}]})
        self.browser.get(path.as_uri())
        if answer:
            for button in self.browser.find_elements(By.CSS_SELECTOR, "#predict button"):
                button.click()
        self.assertEqual(self.browser.get_log("browser"), [])

    def run_script(self, script):
        return self.browser.execute_script(script)

    def press(self, key):
        self.browser.find_element(By.TAG_NAME, "body").send_keys(key)

    def click(self, name):
        self.browser.find_element(By.ID, name).click()

    def state(self):
        """Contents of the page: the time, every cell of both matrices, every load in the
        drawings."""
        return self.run_script("""
            return [clock.seconds, document.getElementById("time").textContent,
              views.map(view => [view.caption.textContent, [...view.one.chunks.cells],
                view.cluster.lanes.map(lane => lane.loaded.style.strokeWidth),
                view.matrix.canvas.toDataURL(), view.timeline.canvas.toDataURL()])]""")

    def texts(self, selector):
        return [one.text for one in self.browser.find_elements(By.CSS_SELECTOR, selector)]

    def picture(self):
        return base64.b64decode(self.browser.get_screenshot_as_base64())

    def shades(self):
        """Number of different colours of the canvases and the page: [matrix, timeline]."""
        return self.run_script("""
            return ["matrix", "timeline"].map(name => {
              const canvas = views[0][name].canvas;
              const data = canvas.getContext("2d").getImageData(0, 0, canvas.width,
                canvas.height).data;
              return new Set(new Uint32Array(data.buffer)).size;
            })""")


class Steps(Page):
    def setUp(self):
        self.open(self.anomaly)

    def test_a_step_forward_and_back_leaves_everything_as_it_was(self):
        click = "for (let i = 0; i < {}; ++i) byId('{}').click()".format
        for steps in (1, 5, 20):
            before = self.state()
            self.run_script(click(steps, "forward"))
            self.assertNotEqual(self.state()[2][0][1], before[2][0][1])
            self.run_script(click(steps, "back"))
            self.assertTrue(self.state() == before, f"{steps} steps there and back")
            self.click("forward")

    def test_keys_do_what_the_buttons_do(self):
        self.press(Keys.ARROW_RIGHT)
        by_key = self.state()
        self.press(Keys.HOME)
        self.assertEqual(self.state()[0], 0)
        self.click("forward")
        self.assertTrue(self.state() == by_key)
        self.press(Keys.ARROW_LEFT)
        self.assertEqual(self.state()[0], 0)
        self.press(Keys.END)
        self.assertEqual(self.state()[0], self.run_script("return clock.whole"))
        self.press(Keys.SPACE)
        self.assertTrue(self.run_script("return clock.running"))
        self.press(Keys.SPACE)
        self.assertFalse(self.run_script("return clock.running"))

    def test_all_controls_are_reached_by_tab_and_have_names(self):
        reached = set()
        for _ in range(40):
            self.browser.switch_to.active_element.send_keys(Keys.TAB)
            active = self.browser.switch_to.active_element
            reached.add(active.get_attribute("id") or active.tag_name)
            if not active.accessible_name and active.tag_name not in ("body", "summary"):
                self.fail(active.get_attribute("outerHTML")[:80])
        self.assertLessEqual({"theme", "left", "right", "first", "back", "play", "forward", "last",
                              "scrub", "unit", "speed", "canvas", "summary"}, reached)

    def test_the_end_of_a_run_is_complete_and_each_ring_step_adds_one_chunk_to_a_rank(self):
        complete = "return views.map(view => [view.one.chunks.complete, view.one.chunks.wanted])"
        self.assertEqual(self.run_script(complete), [[0, 64], [0, 64]])
        self.press(Keys.END)
        self.assertEqual(self.run_script(complete), [[64, 64], [64, 64]])
        changes = self.run_script("""return views[0].one.chunks.at.length""")
        # 7 steps of the reduce-scatter: something comes, and is added; 7 of the allgather.
        self.assertEqual(changes, 8 * 7 * 3)

    def test_playing_comes_to_the_end_and_stops(self):
        self.run_script("clock.lasts = 0.2; clock.toggle()")
        self.browser.set_script_timeout(20)
        self.browser.execute_async_script("""
            const done = arguments[0];
            const look = () => clock.running ? setTimeout(look, 20) : done();
            look();""")
        self.assertEqual(self.state()[0], self.run_script("return clock.whole"))

    def test_scrubbing_goes_to_the_time_of_the_slider(self):
        self.run_script("""const scrub = document.getElementById("scrub");
            scrub.value = 2500; scrub.dispatchEvent(new Event("input"));""")
        self.assertAlmostEqual(self.state()[0], self.run_script("return clock.whole") / 4)


class Numbers(Page):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        # A lesson records every step, so it skips none.
        run = cls.ringscope("run", "03-anomaly", "--no-skip", "--json", "-")
        cls.run_cases = json.loads(run)["cases"]
        cls.comparison = json.loads(cls.ringscope("compare", "03-anomaly", "--json", "-"))

    def setUp(self):
        self.open(self.anomaly)

    def test_the_page_carries_the_report_of_run_itself(self):
        shown = self.run_script("return CASES.map(one => one.report)")
        for case, report in zip(self.run_cases, shown, strict=True):
            for key in ("scenario", "wall_s", "peak_rss_bytes"):
                case.pop(key)
            self.assertGreater(len(report.pop("samples")), 0)  # of what a lesson records
            self.assertEqual(case, report)

    def test_times_shares_and_differences_read_as_compare_prints_them(self):
        times = [case["time_s"] for case in self.run_cases]
        self.assertEqual(self.texts(".total"), [time_text(time) for time in times])
        (difference,) = self.comparison["differences"]
        first = difference["causes"][0]
        row = self.texts("#reasons table:first-of-type tbody tr")[0]
        self.assertEqual(row, " ".join([
            first["spent_on"], "(4-3-1), host2/numa0/core1 (rank 7) (4-2-2)",
            time_text(first["first_s"], max(times)), time_text(first["other_s"], max(times)),
            "+" + time_text(first["difference_s"], max(times))]))
        self.assertRegex(self.texts("#verdict")[0],
                         rf"4-3-1 takes {time_text(times[1] - times[0])} longer than 4-2-2 "
                         rf"\({times[1] / times[0]:.2f} x\): .* one CPU has to push both\.")

    def test_loads_over_time_have_the_mean_that_the_run_reports(self):
        means = self.run_script("""return CASES.map(one => Object.fromEntries(one.loads.map(load =>
            [load.name, [load.mean, load.bins.reduce((a, b) => a + b) / load.bins.length / 200]])))
            """)
        for case, loads in zip(self.run_cases, means, strict=True):
            for resource in case["resources"]:
                exact, drawn = loads[resource["name"]]
                self.assertAlmostEqual(exact, resource["utilisation"], places=9)
                self.assertAlmostEqual(drawn, resource["utilisation"], delta=0.005)

    def test_spans_last_as_long_as_the_ranks_seconds_say(self):
        sums = self.run_script("""return CASES.map(one => one.spans.rows.map(row =>
            row.reduce((sums, span) => (sums[ACTIVITIES[span.activity]] =
              (sums[ACTIVITIES[span.activity]] || 0) + one.inSeconds(span.end - span.start), sums),
              {})))""")
        for case, rows in zip(self.run_cases, sums, strict=True):
            for rank, row in zip(case["ranks"], rows, strict=True):
                for activity, seconds in rank["seconds"].items():
                    if activity != "idle":
                        self.assertAlmostEqual(row.get(activity, 0), seconds,
                                               delta=2e-5 * case["time_s"])

    def test_blocked_ranks_have_the_look_of_what_blocks_them(self):
        self.run_script("clock.goTo(clock.whole / 2)")
        for index, case in enumerate(self.run_cases):
            causes = case["ranks"][7]["waited_for_s"]
            shown = self.run_script(f"""const {{one}} = views[{index}], sums = {{}};
                for (const span of one.spans.rows[7]) if (span.cause)
                  sums[span.cause] = (sums[span.cause] || 0) + one.inSeconds(span.end - span.start);
                return sums;""")
            for cause, seconds in causes.items():
                self.assertAlmostEqual(shown.get(cause, 0), seconds, delta=2e-5 * case["time_s"])
            # Beside the one core of its host the wire is nothing.
            self.assertGreater(causes["copy"], 0.5 * sum(causes.values()))
            look, fill = self.run_script(f"""const {{one}} = views[{index}];
                return [kindOf(one.spans.at(7, TICKS / 2)),
                  views[{index}].cluster.chips[7].box.style.fill];""")
            self.assertEqual((look, fill), ("wait-copy", 'url("#hatch-wait-copy")'))
        self.assertIn("blocked: a core copies", self.texts("#legend span"))
        kinds = self.run_script("return Object.keys(KIND_WORDS)")
        looks = self.run_script("""return Object.keys(KIND_WORDS).map(name =>
            [colour(`${name}-ground`), colour(`${name}-line`), HATCH_LINES[name]].join())""")
        self.assertNotIn("", [look.split(",")[0] for look in looks])
        self.assertEqual(len(set(looks)), len(kinds))

    def test_the_critical_path_is_drawn_without_gaps_and_adds_up(self):
        for index, case in enumerate(self.run_cases):
            path = self.run_script(f"return CASES[{index}].path")
            self.assertGreater(len(path), 10)
            self.assertEqual((path[0][0], path[-1][1]), (0, 1_000_000))
            for one, following in zip(path, path[1:]):
                self.assertEqual(one[1], following[0])
            for cause in {piece["cause"] for piece in case["critical_path"]}:
                wanted = sum(piece["seconds"] for piece in case["critical_path"]
                             if piece["cause"] == cause)
                drawn = sum(end - start for start, end, name, *_ in path if name == cause)
                self.assertAlmostEqual(drawn / 1e6 * case["time_s"], wanted,
                                       delta=1e-6 * len(path) * case["time_s"])

    def test_hovering_tells_the_numbers(self):
        self.run_script("clock.goTo(clock.whole / 2)")
        canvas = "views[1].matrix.canvas"
        self.run_script(f"""
            const box = {canvas}.getBoundingClientRect(), [x, y] = views[1].matrix.box(3, 5);
            {canvas}.dispatchEvent(new PointerEvent("pointermove",
              {{clientX: box.left + x + 4, clientY: box.top + y + 4}}));""")
        tip = self.texts("#tip")[0]
        held = self.run_script("return views[1].one.chunks.holding(3, 5)")
        self.assertTrue(tip.startswith("rank 3, chunk 5\n"), tip)
        self.assertIn(f"{held['contributions']} of 8 contributions", tip)

    def test_a_page_opens_with_the_cases_that_its_scenario_compares(self):
        pair = "return [byId('left').value, byId('right').value, ...views.map(v => v.one.index)]"
        self.assertEqual(self.run_script(pair), ["0", "1", 0, 1])
        self.open(self.make("neighbours.html", "13-neighbours"))
        self.assertEqual(self.run_script(pair), ["0", "2", 0, 2])
        self.open(self.make("alone.html", "13-neighbours", "--case", "alone"))
        self.assertEqual(self.run_script(pair), ["0", "-1", 0])
        self.assertEqual(self.run_script("""return [
            openingPair(["s x", "s c", "s a, b", "s a"], ["a, b", "c"]),
            openingPair(["s a, b but job.bytes=1 MiB", "s a", "s c"], ["a, b", "c"]),
            openingPair(["s x", "s c"], ["a, b", "c"]), openingPair(["s"])]"""),
            [[2, 1], [0, 2], [0, 1], [0, -1]])

    def test_a_pingpong_goes_there_and_back(self):
        size = ("01-two-hosts", "--set", "job.bytes=1KiB")
        self.open(self.make("pingpong.html", *size))
        self.assertIn("blocking pingpong, 1 KiB there and back", self.texts(".facts")[0])
        self.assertIn("of 1 KiB there and back on 2 ranks", self.ringscope("run", *size))

    def test_a_changed_cluster_is_described_as_changed(self):
        self.open(self.make("more.html", "02-ring-of-8", "--set", "cluster.hosts=12", "--set",
                            "job.bytes=1 MiB"))
        self.assertIn("; changed: hosts", self.texts("figcaption")[0])


def main():
    for program in ("chromium", "chromedriver"):
        if not shutil.which(program):
            print(f"SKIP lesson: no {program}; install chromium and chromium-driver")
            sys.exit(77)
    Page.build = pathlib.Path(sys.argv[1]).resolve()
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])


if __name__ == "__main__":
    main()
