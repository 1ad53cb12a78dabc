# SPDX-License-Identifier: LGPL-2.1-or-later
"""Does the playground do what a student asks of it, on a desk and on a telephone?

Usage: python3 -m plots.playground_test BUILD, where BUILD holds the native program. Needs
the page that scripts/web makes, as cli/web_test.py, and what lesson_test needs; skips where one is
missing.
"""

import json
import pathlib
import sys
import tempfile
import time
import unittest
import urllib.parse

from plots.lesson_test import By, Keys, Page
from plots.playground.page_for_test import PAGE, skip_without_page

PREDICTED = "lesson=03&said=a+1.5"


class Playground(Page):
    def visit(self, address="", width=1400, height=1000, scheme="light", anew=False):
        """The page at an address, when it has answered; loaded `anew`, or if it is not there."""
        command = self.browser.execute_cdp_cmd
        command("Emulation.setDeviceMetricsOverride",
                {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})
        command("Emulation.setEmulatedMedia", {"features": [
            {"name": "prefers-color-scheme", "value": scheme}]})
        if not anew and self.browser.current_url.startswith(PAGE.as_uri()):
            self.answered(0)
            self.change(f"""clock.seconds = clock.whole = 0;
                settings = [];
                history.pushState(null, "", "#" + {json.dumps(address)});
                dispatchEvent(new PopStateEvent("popstate"));""")
            return
        command("Browser.setDownloadBehavior",
                {"behavior": "allow", "downloadPath": self.folder.name})
        self.browser.get("about:blank")
        self.browser.get(PAGE.as_uri() + ("#" + address if address else ""))
        self.answered(0)

    def leave(self):
        """At the end of a test that changes what the next one must not find changed."""
        self.run_script("localStorage.clear()")
        self.browser.get("about:blank")

    def answered(self, before):
        """Waits for an answer after the first `before` ones."""
        self.until(f"return !running && answered.count > {before}")

    def until(self, script, seconds=60):
        """Asks within the page: each question from here would cost more than the page's answer."""
        self.assertTrue(self.browser.execute_async_script(f"""const done = arguments[0];
            const holds = () => {{ {script} }}, end = Date.now() + 1000 * {seconds};
            const look = () => {{
              const held = Boolean(holds());
              if (held || Date.now() > end) done(held);
              else setTimeout(look, 20);
            }};
            look();"""), script)

    def change(self, script):
        before = self.run_script("return answered.count")
        self.run_script(script)
        self.answered(before)

    def tearDown(self):
        self.assertEqual(self.browser.get_log("browser"), [])

    def times(self):
        return self.run_script("return shown.map(one => one.seconds)")

    def other_key(self):
        """The field for any key of run A, below "More settings"."""
        self.run_script("settings[0].more.open = true")
        return self.browser.find_element(By.CSS_SELECTOR, "form.setting input")

    def complaint(self):
        return self.run_script(
            "const box = document.getElementById('complaint'); return box.hidden ? '' "
            ": box.textContent")

    def ringscope_times(self, *arguments):
        done = json.loads(self.ringscope("run", *arguments, "--no-skip", "--json", "-"))
        return [case["time_s"] for case in done["cases"]]


class Predicting(Playground):
    def test_nothing_is_shown_before_it_is_said_what_is_expected(self):
        self.visit()
        self.change("go('03')")
        hidden = ("#verdict", ".case .total", "#because", "#exercise", "#settings", ".legend")
        self.assertEqual([self.texts(selector)[0] for selector in hidden], 6 * [""])
        self.assertTrue(self.browser.find_element(By.ID, "cases").is_displayed())
        self.browser.find_element(By.CSS_SELECTOR, "#predict input[value=a]").click()
        self.run_script("document.getElementById('times').value = 1.5; "
                        "document.querySelector('#predict [name=reason]').click()")
        self.browser.find_element(By.CSS_SELECTOR, "#predict button").click()
        self.assertTrue(self.browser.find_element(By.ID, "verdict").is_displayed())
        one, other = self.ringscope_times("03-anomaly")
        words = self.texts("#prediction")[0]
        self.assertEqual(self.texts(".letter"), ["A", "B"])
        self.assertIn("You said: 4-2-2, 1.5 times as fast.", words)
        self.assertIn(f"It is: 4-2-2, {other / one:.3g} times as fast.", words)
        self.assertEqual(self.times(), [one, other])
        self.assertAlmostEqual(self.run_script("return clock.seconds / shown[0].seconds"), 0.5)
        self.assertIn("one CPU has to push both", self.texts("#verdict")[0])

    def test_a_wrong_prediction_is_called_so(self):
        self.visit("lesson=03&said=b+2")
        self.assertIn("The other way round", self.browser.find_element(By.ID, "prediction").text)

    def test_a_copied_link_locks_the_answer_again_and_the_own_address_does_not(self):
        self.visit(PREDICTED)
        self.assertIn("said=a+1.5", self.run_script("return location.hash"))
        self.assertNotIn("said", self.run_script("return addressOf(state, false)"))

    def test_a_prediction_is_judged_beside_its_own_runs_alone(self):
        self.visit("lesson=03&said=a+2")
        self.assertIn("Right", self.texts("#prediction")[0])
        self.change("settings[1].places.move(6, 2)")
        self.assertEqual(self.texts("#prediction"), [
            "Your first prediction, of 4-2-2 and 4-3-1, was: 4-2-2, 2 times as fast."])

    def test_tables_of_other_runs_are_gone_when_an_answer_is_shown(self):
        self.addCleanup(self.leave)
        tables = "document.querySelectorAll('#gains table').length"
        for change in ("go('16')", "change(0, 'job.bytes', '2 MiB')"):
            with self.subTest(change):
                self.visit(PREDICTED)
                self.until(f"return {tables}")
                self.change(f"""const before = show;
                    show = all => {{ before(all); window.tables = {tables}; }};
                    {change};
                    window.grey = document.querySelector(".locked, .stale") !== null;""")
                self.assertEqual(self.run_script("return [window.tables, window.grey]"), [0, True])


class Following(Playground):
    def test_the_source_is_that_of_the_algorithm_and_its_lines_are_lit(self):
        self.visit(PREDICTED)
        source = "views[0].source.node.querySelector('.path').textContent"
        lit = "[...views[0].source.node.querySelectorAll('.lit')].map(row => row.textContent)"
        for algorithm in ("ring", "recursive_doubling"):
            self.change(f"change(0, 'job.algorithm', '{algorithm}')")
            self.assertEqual(self.run_script(f"clock.goTo(0.3 * views[0].one.seconds); "
                                             f"return {source}"),
                             f"algorithms/allreduce/{algorithm}_allreduce.cpp")
            lines = self.run_script(f"return {lit}")
            self.assertGreater(len(lines), 0)
            self.assertTrue(all("rank" in line and "co_await" in line for line in lines), lines)


class Rejecting(Playground):
    """A key that the program rejects leaves the rest as it is."""

    def chips(self, kind):
        return self.run_script(f"""return [...document.querySelectorAll(".keys-set .{kind}")]
            .map(one => one.textContent);""")

    def test_a_wrong_key_is_a_red_chip_that_one_click_takes_back(self):
        self.visit(PREDICTED)
        before = self.times()
        field = self.other_key()
        count = self.run_script("return answered.count")
        field.send_keys("job.bytez = 1 MiB", Keys.ENTER)
        self.answered(count)
        for _ in range(2):  # the second time after a reload
            self.assertIn("job.bytez", self.complaint())
            self.assertEqual(self.chips("refused"), ["job.bytez=1 MiB \u00d7"])
            self.assertEqual(self.times(), before)
            self.change("change(1, 'job.bytes', '16 MiB')")
            self.assertIn("job.bytez", self.complaint())
            self.visit(self.run_script("return location.hash.slice(1)"), anew=True)
        self.change("document.querySelector('.keys-set .refused').click()")
        self.assertEqual((self.chips("refused"), self.complaint()), ([], ""))

    def test_a_wrong_value_is_marked_at_its_field_and_the_good_one_stays(self):
        self.visit(PREDICTED)
        self.change("change(0, 'job.bytes', '2 MiB')")
        before = self.times()
        self.change("change(0, 'job.bytes', '10 Mb')")
        self.assertEqual(self.times(), before)
        self.assertEqual(self.run_script("""return settings[0].settings
            .filter(one => one.control.getAttribute("aria-invalid")).map(one => one.key)"""),
                         ["job.bytes"])
        self.change("document.querySelector('.keys-set .refused').click()")
        self.assertEqual(self.run_script("return state.runs[0].set"), {"job.bytes": "2 MiB"})

    def test_the_nic_makes_progress_and_solves_the_exercise(self):
        self.visit(PREDICTED)
        self.change("change(1, 'library.progress', 'nic')")
        self.assertEqual(self.complaint(), "")
        self.run_script("exercise.check()")
        self.until("return exercise.said.textContent")
        self.assertIn("Right", self.run_script("return exercise.said.textContent"))

    def test_too_many_ranks_are_rejected_in_words_and_the_page_goes_on(self):
        self.visit("lesson=02&two=0&a=&a.cluster.hosts=128&a.placement=8x128")
        self.assertIn("a page shows at most 256 ranks", self.complaint())
        self.assertEqual(self.run_script("return shown[0].report.ranks.length"), 8)


class Moving(Playground):
    def chip(self, rank, run=0):
        return self.run_script(f"""return settings[{run}].places.list
            .querySelector(".chip[data-rank='{rank}']")""")

    def test_dragging_a_rank_to_another_host_runs_it_there(self):
        for width in (1400, 360):
            with self.subTest(width=width):
                self.visit(PREDICTED + "&two=0", width=width)
                before = self.run_script("return answered.count")
                self.drag(self.chip(6), "settings[0].places.list.children[1]")
                self.answered(before)
                self.assertEqual(self.run_script("return state.runs[0].set"),
                                 {"placement": "4-3-1"})
                self.assertEqual(self.times(), self.ringscope_times("03-anomaly")[1:])

    def drag(self, chip, target):
        """By pointer events, as a mouse and a finger send them alike."""
        self.run_script(f"{target}.scrollIntoView({{block: 'center'}})")
        places = self.browser.execute_script(f"""
            const middle = one => {{ const box = one.getBoundingClientRect();
              return [box.x + box.width / 2, box.y + box.height / 2]; }};
            return [middle(arguments[0]), middle({target})];""", chip)
        mouse = self.browser.execute_cdp_cmd
        for kind, (x, y) in (("mousePressed", places[0]), ("mouseMoved", places[1]),
                             ("mouseReleased", places[1])):
            mouse("Input.dispatchMouseEvent", {"type": kind, "x": x, "y": y, "button": "left",
                                               "buttons": 1, "clickCount": 1})

    def test_arrow_keys_move_a_rank_and_it_keeps_the_focus(self):
        self.visit(PREDICTED + "&two=0")
        before = self.run_script("return answered.count")
        self.chip(6).send_keys(Keys.ARROW_LEFT)
        self.answered(before)
        self.assertEqual(self.run_script("return countsText([0, 1, 2].map(host => "
                                         "settings[0].places.ranksOn(host).length))"), "4-3-1")
        self.assertEqual(self.run_script("return document.activeElement.dataset.rank"), "6")

    def test_a_rank_out_of_order_is_placed_by_itself_and_can_be_numbered_anew(self):
        self.visit(PREDICTED + "&two=0")
        self.change("settings[0].places.move(0, 2)")
        self.assertIn("{host: 2, numa: 0, core: 0}",
                      self.run_script("return state.runs[0].set.placement"))
        self.assertEqual(self.run_script("return shown[0].report.ranks.map(rank => rank.host)"),
                         ["host2"] + 3 * ["host0"] + 2 * ["host1"] + 2 * ["host2"])
        self.change("settings[0].places.renumber.click()")
        self.assertEqual(self.run_script("return state.runs[0].set.placement"), "3-2-3")

    def test_ranks_are_added_and_removed(self):
        self.visit(PREDICTED + "&two=0")
        self.change("settings[0].places.count(1, 1)")
        self.change("settings[0].places.count(0, -1)")
        self.assertEqual(self.run_script("return state.runs[0].set.placement"), "3-3-2")


class Exercises(Playground):
    def test_an_exercise_about_runs_is_checked_against_what_is_shown(self):
        self.visit(PREDICTED)
        press = "document.querySelector('#exercise button').click()"
        self.run_script(press)
        self.until("return exercise.said.textContent")
        self.assertIn("Not yet", self.run_script("return exercise.said.textContent"))
        self.change("change(1, 'library', 'offload')")
        self.run_script(press)
        self.assertIn("Right", self.run_script("return exercise.said.textContent"))


class Sharing(Playground):
    def test_an_address_brings_back_what_was_set(self):
        self.visit(PREDICTED)
        self.change("change(0, 'job.bytes', '2 MiB')")
        self.change("change(1, 'library.network.send_cost', '1 ns/B')")
        times, address = self.times(), self.run_script("return location.hash.slice(1)")
        words = urllib.parse.parse_qs(address)
        self.assertEqual(words["a.job.bytes"], ["2 MiB"])
        self.visit(address, anew=True)
        self.assertEqual(self.times(), times)
        self.assertEqual(self.run_script("return location.hash.slice(1)"), address)

    def exported(self, kind):
        folder = pathlib.Path(self.folder.name)
        for old in folder.iterdir():
            old.unlink()
        self.run_script(f"exportAs('{kind}')")
        end = time.monotonic() + 30
        while not [one for one in folder.iterdir() if one.suffix == f".{kind}"]:
            self.assertLess(time.monotonic(), end)
            time.sleep(0.05)
        return sorted(folder.glob(f"*.{kind}"))

    def test_the_exported_scenario_takes_as_long_on_the_command_line(self):
        for address in (PREDICTED, "lesson=13&said=a+1", "lesson=11&said=a+1"):
            with self.subTest(address):
                self.visit(address)
                self.change("change(1, 'cluster.link.latency', '50 us')")
                self.change("settings[0].places.move(0, 1)")
                self.assertEqual(self.complaint(), "")
                (path,) = self.exported("yaml")
                self.assertEqual(self.ringscope_times(str(path)), self.times())

    def test_exported_rows_are_those_of_the_command_line(self):
        self.visit(PREDICTED)
        (path,) = self.exported("csv")
        rows = path.read_text(encoding="utf-8").splitlines()
        native = self.ringscope("run", "03-anomaly", "--no-skip", "--csv", "-").splitlines()
        self.assertEqual(rows[0], native[0])
        self.assertEqual(len(rows), 3)

    def test_pictures_are_exported(self):
        self.visit(PREDICTED)
        drawings = self.exported("svg")
        self.assertIn("<svg", drawings[0].read_text(encoding="utf-8"))
        (picture,) = self.exported("png")
        content = picture.read_bytes()
        self.assertEqual(content[:8], b"\x89PNG\r\n\x1a\n")
        self.assertGreater(int.from_bytes(content[16:20], "big"), 800)


def main():
    skip_without_page("chromium", "chromedriver")
    Page.build = pathlib.Path(sys.argv[1]).resolve()
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])


if __name__ == "__main__":
    main()
