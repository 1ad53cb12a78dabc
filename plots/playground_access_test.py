# SPDX-License-Identifier: LGPL-2.1-or-later
"""Can all of the playground be reached by keys, and read?

Usage: python3 -m plots.playground_access_test BUILD, as playground_test.py.
"""

import pathlib

from plots.lesson_test import Keys
from plots.playground_test import PREDICTED, Playground, main

BOXES = pathlib.Path(__file__).with_name("boxes_for_test.js").read_text(encoding="utf-8")
SCREENS = ((390, 844), (1400, 900))
MOST_TABS = 12  # to the button that locks a prediction in
# Tag and text of what has the focus, and whether an outline shows it within the window
FOCUSED = """const one = document.activeElement, box = one.getBoundingClientRect();
    const {outlineStyle, outlineWidth} = getComputedStyle(one);
    return [one.tagName, one.textContent, outlineStyle !== "none" && parseFloat(outlineWidth) > 0 &&
      box.bottom > 0 && box.top < innerHeight];"""


class Keyboard(Playground):
    def tab(self):
        """To the next stop, which has a name and shows that it has the focus: its tag and text."""
        self.browser.switch_to.active_element.send_keys(Keys.TAB)
        tag, text, is_seen = self.run_script(FOCUSED)
        if tag != "BODY":
            active = self.browser.switch_to.active_element
            self.assertTrue(active.accessible_name, active.get_attribute("outerHTML")[:90])
            self.assertTrue(is_seen, active.get_attribute("outerHTML")[:90])
        return tag, text

    def predict(self):
        """Locks some prediction in, from the button that has the focus."""
        self.run_script("""for (const one of document.querySelectorAll("#predict input"))
              one.type === "radio" ? one.click() : one.value = 100;
            document.querySelectorAll("#predict select").forEach((one, i) =>
              one.selectedIndex = i + 1);""")
        self.browser.switch_to.active_element.send_keys(Keys.ENTER)
        self.assertEqual(self.run_script("return document.activeElement.id"), "prediction")

    def test_lesson_is_done_by_keys_and_each_stop_has_a_name(self):
        for lesson in ("02", "16"):
            for width, height in SCREENS:
                with self.subTest(lesson, width=width):
                    self.visit(f"lesson={lesson}", width=width, height=height, anew=True)
                    tabs = 1
                    while not self.tab()[1].startswith("Lock it in"):
                        tabs += 1
                        self.assertLessEqual(tabs, MOST_TABS)
                    self.predict()
                    stops = 0
                    while self.tab()[0] != "BODY":
                        stops += 1
                        self.assertLess(stops, 200)
                    self.assertGreater(stops, 30)

    def test_skip_link_leads_to_the_machines_of_the_same_lesson(self):
        self.visit("lesson=16", anew=True)
        self.assertEqual(self.tab(), ("A", "To the machines and the question"))
        self.browser.switch_to.active_element.send_keys(Keys.ENTER)
        self.assertEqual(self.run_script("return [document.activeElement.id, state.lesson]"),
                         ["cases", "16-the-missing-nic"])
        self.assertEqual(self.tab()[0], "SELECT")

    def test_all_controls_are_reached_by_tab(self):
        self.visit(PREDICTED, anew=True)
        wanted = self.run_script("""return [...document.querySelectorAll(
            "button, input, select, canvas, a")].filter(one => !one.disabled &&
            one.checkVisibility()).length""")
        reached = set()
        for _ in range(wanted + 5):
            self.tab()
            reached.add(self.browser.switch_to.active_element.id)
        self.assertGreaterEqual(len(reached), wanted)


class Contrast(Playground):
    def test_words_have_the_contrast_of_aa_in_light_and_dark(self):
        for scheme in ("light", "dark"):
            for address in (PREDICTED, "lesson=02", "lesson=16", "lesson=05-deadlock",
                            "lesson=02&said=number+100", "lesson=16&said=order+1+2+0",
                            "lesson=27&said=a+2"):
                with self.subTest(address, scheme=scheme):
                    self.visit(address, scheme=scheme)
                    low = self.run_script(BOXES + """
                        for (const one of document.querySelectorAll("details")) one.open = true;
                        return lowContrasts();""")
                    self.assertEqual(low, [])

    def test_low_contrasts_are_found(self):
        self.visit(PREDICTED)
        self.addCleanup(self.leave)
        low = self.run_script(BOXES + """byId("verdict").style.color = "#999999";
            document.querySelector(".cluster text.name").style.fill = "#999999";
            const field = document.querySelector("form.setting input");
            field.closest("details").open = true;
            document.head.append(element("style", {}, "::placeholder { color: #999 !important; }"));
            return lowContrasts();""")
        for part in ("verdict", "class=\"name\"", "placeholder"):
            self.assertIn(part, " ".join(low))


if __name__ == "__main__":
    main()
