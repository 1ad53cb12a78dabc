# SPDX-License-Identifier: LGPL-2.1-or-later
"""Does a lesson of the course lead from its question to its exercise and its results?

Usage: python3 -m plots.playground_course_test BUILD, as playground_test.py.
"""

import json
import pathlib
import subprocess
import sys

from plots.course_test import laid_over
from plots.lesson_test import ROOT, By, Keys
from plots.playground import course
from plots.playground.page_for_test import PAGE
from plots.playground_test import Playground, main

LESSONS = course.lessons()
KINDS = ("faster", "order", "number")


def first(holds):
    """The first lesson for which this holds."""
    return next(lesson for lesson in LESSONS if holds(lesson))


def kind_of(lesson):
    return next((kind for kind in KINDS if kind in lesson["predict"]), "reason")


def key_of(lesson):
    """(symbol, its key) of a formula's size that one slider shows, else ("", "")."""
    where = lesson.get("formula", {}).get("where", {})
    return next(((name, one["key"]) for name, one in where.items()
                 if one.get("key") == "job.bytes" and one["is"] != 1), ("", ""))


class Course(Playground):
    def open_lesson(self, lesson, said="reason"):
        """A lesson after this prediction; "" for the page with its question."""
        self.visit(f"lesson={lesson['id']}" + (f"&said={said}" if said else ""))

    def set_runs(self, runs):
        self.change(f"""state.runs = {json.dumps(runs)}.map(freshRun);
            if (state.runs.length < 2) state.runs.push(freshRun(state.runs[0]));
            refresh();""")

    def check_exercise(self):
        self.run_script("exercise.said.textContent = ''; "
                        "document.querySelector('#exercise button').click()")
        self.until("return exercise.said.textContent")
        return self.texts("#exercise [role=status]")[0]


class Questions(Course):
    def fill(self, lesson, kind):
        """Fills the form, and returns what is said with it."""
        if kind == "faster":
            self.run_script("document.querySelector('#predict [value=b]').click(); "
                            "document.getElementById('times').value = 1.5")
            return "b 1.5"
        if kind == "number":
            self.run_script("document.getElementById('number').value = 7")
            return "number 7"
        if kind == "reason":
            return "reason"
        order = list(range(len(lesson["predict"]["order"])))[::-1]
        self.assertEqual(len(self.texts("#predict select")), len(order))
        choose = """[...document.querySelectorAll("#predict select")].forEach((one, i) => {
            one.value = arguments[0][i];
            one.dispatchEvent(new Event("change", {bubbles: true})); });
            return document.querySelector("#predict form").checkValidity();"""
        self.browser.execute_script(choose, [0] * len(order))
        self.assertFalse(self.run_script(
            "return document.querySelector('#predict select:last-of-type').form.checkValidity()"))
        self.browser.execute_script(choose, order)
        return " ".join(map(str, ["order", *order]))

    def test_each_kind_of_question_has_its_form_and_is_judged(self):
        judged = {"faster": "You said: ", "order": r"(Right|\d+ of \d+ pairs)",
                  "number": r"(Right\. )?You said 7 ",
                  "reason": "(Right: |You said: .*The answer: )"}
        for kind in (*KINDS, "reason"):
            lesson = first(lambda one, kind=kind: kind_of(one) == kind)
            with self.subTest(kind):
                self.visit(f"lesson={lesson['id']}", width=390, height=844)
                self.assertEqual(self.texts("#because"), [""])
                said = self.fill(lesson, kind)
                reasons = self.texts("#predict .reason label")
                known = [one["say"] for one in lesson["predict"].get("reason", [])]
                self.assertEqual(sorted(reasons), sorted(known))
                if reasons:
                    self.run_script("document.querySelector('#predict [name=reason]').click()")
                    said += f" because {known.index(reasons[0])}"
                self.browser.find_element(By.CSS_SELECTOR, "#predict button").click()
                self.assertEqual(self.run_script("return state.said"), said)
                self.until("return /^(?!computing)./.test(byId('prediction').textContent)")
                self.assertTrue(self.run_script("""const boxOf = name =>
                      document.querySelector(name).getBoundingClientRect();
                    const {top, bottom} = boxOf("#prediction");
                    return top >= 0 && bottom < boxOf(".player").top"""), "out of sight")
                self.assertRegex(self.texts("#prediction")[0], f"^{judged[kind]}")
                self.assertIn("Why", self.texts("#because h2"))
                self.assertEqual(self.texts("#predict"), [""])

    def test_the_question_is_reached_within_twelve_tabs(self):
        for kind in (*KINDS, "reason"):
            self.open_lesson(first(lambda one, kind=kind: kind_of(one) == kind), "")
            for _ in range(12):
                self.browser.switch_to.active_element.send_keys(Keys.TAB)
                if self.run_script("return !!document.activeElement.closest('#predict')"):
                    break
            else:
                self.fail(kind)


class Explanations(Course):
    def test_a_formula_follows_a_setting_and_its_numbers_change_the_run(self):
        lesson = first(lambda one: key_of(one)[0] and one["formula"]["measure"] == "time_s")
        name, key = key_of(lesson)
        run = lesson["formula"].get("run", 0)
        self.open_lesson(lesson)
        symbol = f"formula.symbols[{json.dumps(name)}]"
        self.change(f"change({run}, '{key}', '4 KiB')")
        self.assertEqual(self.run_script(f"return {symbol}.words.textContent"), "4 KiB")
        before = self.texts(".formula .terms")
        words = self.run_script(f"return {symbol}.words")
        for act, size in ((lambda: words.send_keys(Keys.ARROW_RIGHT), 8192),
                          (lambda: self.drag(words, 40), 16384),
                          (lambda: self.drag(words, -80), 4096)):
            count = self.run_script("return answered.count")
            act()
            self.answered(count)
            self.assertEqual(self.run_script(f"return shown[{run}].report.bytes"), size)
        self.assertEqual(self.texts(".formula .terms"), before)
        simulated = self.run_script(f"return timeText(shown[{run}].report.time_s)")
        told = f", run {'AB'[run]}" if len(lesson["runs"]) > 1 else ""
        self.assertEqual(self.texts(".formula [role=status]"), [f"Simulated{told}: {simulated}."])
        self.assertEqual(self.texts(".formula h2"), [f"By formula{told}"])
        self.assertEqual(self.run_script(
            "return document.querySelectorAll('.curve circle.dot').length"), 1)

    def drag(self, element, by):
        self.browser.execute_script("arguments[0].scrollIntoView({block: 'center'})", element)
        x, y = self.browser.execute_script("""const box = arguments[0].getBoundingClientRect();
            return [box.x + box.width / 2, box.y + box.height / 2];""", element)
        for kind, at in (("mousePressed", x), ("mouseMoved", x + by), ("mouseReleased", x + by)):
            self.browser.execute_cdp_cmd("Input.dispatchMouseEvent", {
                "type": kind, "x": at, "y": y, "button": "left", "buttons": 1, "clickCount": 1})

    def test_steps_show_their_runs_by_name(self):
        lesson = first(lambda one: sum("runs" in step for step in one["steps"]) > 1)
        self.open_lesson(lesson)
        steps = [step for step in lesson["steps"] if "runs" in step]
        for i, step in enumerate(steps):
            self.change(f"document.querySelectorAll('.steps button')[{i}].click()")
            self.assertEqual(self.complaint(), "")
            self.assertEqual(self.run_script("return runsOf(state).map(run => run.set)"),
                             [run["set"] for run in step["runs"]])
            names = self.run_script("return shown.map(one => one.name)")
            for run, name in zip(step["runs"], names, strict=True):
                self.assertEqual(name, run.get("name", name))
            self.assertEqual(self.texts(".steps li[aria-current]")[0].split("\n")[0][:20],
                             step["say"][:20])

    def test_each_message_of_the_ring_has_a_dot_on_its_way(self):
        self.visit("lesson=02-ring-of-8&said=reason&two=0")
        flights, ranks, messages = self.run_script("""const {list} = new Flights(shown[0]);
            return [list, shown[0].report.ranks.length, shown[0].report.messages];""")
        self.assertEqual(len(flights), messages)
        self.assertEqual({(one["to"] - one["from"]) % ranks for one in flights}, {1})
        self.run_script("clock.goTo(shown[0].inSeconds(100 + Math.max(...new Flights(shown[0])"
                        ".list.map(one => one.start))))")
        self.assertEqual(len(self.texts(".flights circle")), ranks)


class Solving(Course):
    def test_changed_runs_solve_an_exercise_of_each_kind(self):
        for kind in ("ratio", "between"):
            lesson = first(lambda one, kind=kind: kind in one["exercise"])
            with self.subTest(kind):
                self.open_lesson(lesson)
                self.assertTrue(self.check_exercise().startswith("Not yet: "))
                solution = lesson["exercise"]["solution"]
                changed = [laid_over(*pair) for pair in zip(lesson["runs"], solution)]
                self.set_runs(changed + lesson["runs"][len(changed):])
                self.assertEqual(self.complaint(), "")
                self.assertTrue(self.check_exercise().startswith("Right: "))
                self.assertTrue(self.run_script(f"return results.has('{lesson['id']}')"))

    def test_a_number_is_checked_against_a_run(self):
        lesson = first(lambda one: len(one["exercise"].get("runs", [])) == 1)
        exercise = lesson["exercise"]
        self.open_lesson(lesson)
        right = self.browser.execute_async_script("""const done = arguments[0];
            const {runs, measure, scale = 1} = exercise.exercise;
            exercise.ask(runs).then(({cases: [one]}) => done(one.report[measure] / scale));""")
        for given, word in ((f"{right:.6g}".replace(".", ","), "Right: "),
                            (3 * right, "Not yet: less than that."),
                            (right / 3, "Not yet: more than that."), ("", "Give a number")):
            self.run_script(f"exercise.input.value = '{given}'")
            self.assertTrue(self.check_exercise().startswith(word), (given, exercise))

    def test_results_are_handed_in_as_lines_that_verify(self):
        lesson = first(lambda one: "ratio" in one["exercise"])
        self.open_lesson(lesson, "")
        self.run_script(f"localStorage.clear(); results.lessons = {{}}; "
                        f"results.add('{lesson['id']}', {{said: 'a 2'}}); "
                        f"results.add('{lesson['id']}', {{solved: true}}); showLock(shown)")
        self.visit(f"lesson={lesson['id']}&said=a+2", anew=True)  # remembered over a reload
        self.addCleanup(self.leave)
        self.run_script("""const form = document.getElementById("name").form;
            form.elements.name.value = "Ada";
            form.closest("details").open = true;
            form.querySelector("button").click();""")
        line = self.run_script("return document.querySelector('#own [readonly]').value")
        path = pathlib.Path(self.folder.name, "lines.txt")
        path.write_text(line + "\n", encoding="utf-8")
        done = subprocess.run([sys.executable, "-B", str(
            ROOT / "plots/playground/check_results.py"), str(path)], text=True,
            capture_output=True, check=False)
        self.assertEqual((done.returncode, done.stdout), (
            0, f"Ada: 1 exercises solved, 1 lessons begun: {lesson['id']}\n"), done.stderr)
        self.run_script("document.getElementById('map').open = true")
        self.assertEqual(len(self.texts("#map li.done")), 1)


class Own(Course):
    def test_a_scenario_of_ones_own_is_simulated(self):
        name = "ring-or-parameter-server"
        text = course.without_lesson((ROOT / f"scenarios/lessons/{name}.yaml").read_text(
            encoding="utf-8")).replace("64 MiB", "1 MiB")
        self.visit()
        self.change(f"own.open({json.dumps(text)})")
        self.assertEqual(self.complaint(), "")
        self.assertEqual(self.texts("#question"), [course.load(text)["question"]])
        path = pathlib.Path(self.folder.name, "own.yaml")
        path.write_text(text, encoding="utf-8")
        self.assertEqual(self.times(), self.ringscope_times(str(path))[:2])
        self.visit(self.run_script("return location.hash.slice(1)"), anew=True)
        self.assertEqual(self.texts("#question"), [course.load(text)["question"]])

    def test_a_log_is_answered_with_the_command_for_it(self):
        self.open_lesson(LESSONS[0])
        self.run_script("""own.node.open = true;
            own.input.value = "# OSU MPI Latency Test v7.3\\n8 1.5\\n";
            own.node.querySelector("button").click()""")
        said = self.run_script("return own.said.textContent")
        self.assertIn("ringscope doctor LOG", said)
        self.assertIn("doctor", self.ringscope("--help"))
        self.run_script("own.open('key: value')")
        self.assertIn("expected a scenario", self.run_script("return own.said.textContent"))
        self.assertFalse(self.run_script("return state.text"))

    def test_times_of_ones_own_are_fitted_and_compared_with_the_run(self):
        self.open_lesson(first(lambda one: key_of(one)[0]))
        self.run_script("""const input = document.getElementById("own-times");
            input.closest("details").open = true;
            input.value = "1 KiB 10.4096 us\\n64 KiB 36.2144\\n1048576 429.4304";
            input.form.querySelector("button").click()""")
        self.until("return document.querySelectorAll('#own tbody tr').length === 3 && "
                   "!document.querySelector('#own tbody').textContent.includes('...')")
        words = self.texts("#own [role=status] p")[0]
        self.assertRegex(words, r"Latency 10\.00 us .*bandwidth 2\.5 GB/s .* explain all times")


class Pages(Course):
    def test_the_page_can_fetch_nothing(self):
        self.visit()
        failed = self.browser.execute_async_script("""const done = arguments[0];
            fetch("https://ringscope.invalid/").then(() => done(""), error =>
              done(String(error)));""")
        self.assertIn("TypeError", failed)
        said = [one["message"] for one in self.browser.get_log("browser")]
        self.assertTrue(said and all("Content Security Policy" in one for one in said), said)

    def test_dark_and_large_are_remembered(self):
        looks = """const {theme, size} = document.documentElement.dataset;
            const ground = getComputedStyle(byId("projector")).backgroundColor;
            const {canvas} = views[0].timeline;
            return [theme, size || "", !/, 0\\)$/.test(ground),
              canvas.width / parseFloat(canvas.style.width)];"""
        self.visit("lesson=03")
        self.addCleanup(self.leave)
        self.assertEqual(self.run_script(looks)[:3], ["light", "", False])
        self.click("theme")
        self.click("projector")
        for _ in range(2):
            *now, ratio = self.run_script(looks)
            self.assertEqual(now, ["dark", "projector", True])
            self.assertAlmostEqual(ratio, 1.3, delta=0.01)
            self.visit(anew=True)

    def test_a_recorded_lesson_shows_its_answer_and_reason_on_a_click(self):
        lesson = LESSONS[0]
        self.open(self.make("lesson.html", lesson["id"]), answer=False)
        hidden = ("#verdict", ".total", "#because", "#reasons", ".legend")
        self.assertEqual([self.texts(selector)[0] for selector in hidden], 5 * [""])
        self.assertEqual(self.texts("#question"), [lesson["title"]])
        self.assertEqual(self.texts("#words"), [lesson["setup"]])
        self.assertEqual(self.texts("#predict > h2"), [lesson["predict"]["ask"]])
        self.browser.find_element(By.CSS_SELECTOR, "#predict button").click()
        self.assertNotIn("", [self.texts(selector)[0] for selector in hidden])
        self.assertEqual(self.texts("#because p"), [lesson["because"]])
        self.assertEqual(self.texts("#predict"), [""])

    def test_play_opens_and_copies_the_page(self):
        def play(*words):
            return subprocess.run(
                [sys.executable, "-B", "-m", "plots.playground.play", *words], cwd=ROOT, text=True,
                capture_output=True, check=False, env={"PATH": "/usr/bin:/bin"})

        lesson, copy = LESSONS[-1]["id"], pathlib.Path(self.folder.name, "copy.html")
        for name in (lesson, lesson.split("-")[0]):
            self.assertEqual(play(name).stdout, f"{PAGE.as_uri()}#lesson={name}\n")
        self.assertEqual(play("-o", str(copy)).returncode, 0)
        self.assertEqual(copy.read_bytes(), PAGE.read_bytes())
        unknown = play("no-lesson")
        self.assertEqual(unknown.returncode, 1)
        self.assertIn("unknown lesson 'no-lesson'", unknown.stderr)

    def test_another_recorded_scenario_shows_its_question_and_answer(self):
        self.open(self.make("traced.html", "traced"), answer=False)
        path = ROOT / "scenarios/lessons/traced.yaml"
        self.assertEqual(self.texts("#question"),
                         [course.load(path.read_text(encoding="utf-8"))["question"]])
        self.assertNotIn("", self.texts("#verdict") + self.texts("#words"))


if __name__ == "__main__":
    main()
