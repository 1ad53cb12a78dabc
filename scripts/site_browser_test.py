#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Does the site read well in a browser: without errors, with its search, and on a phone?

Usage: scripts/site_browser_test.py BUILD, where BUILD holds the program. Needs mkdocs, chromium,
chromium-driver and python3-selenium; skips where one is missing.
"""

import glob
import os
import pathlib
import shutil
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
from documents import site  # noqa: E402

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SKIPPED = 77
try:
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys
except ImportError as error:
    print(f"SKIP site_browser: {error}; install python3-selenium")
    sys.exit(SKIPPED)


def open_browser():
    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium")
    for word in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                 "--window-size=1400,1000"):
        options.add_argument(word)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    return webdriver.Chrome(service=Service(shutil.which("chromedriver")), options=options)


class Reader(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.site = os.path.join(folder.name, "site")
        site.build(ROOT, os.path.join(BUILD, "ringscope"), cls.site)
        cls.browser = open_browser()
        cls.addClassCleanup(cls.browser.quit)

    def open(self, page, width=1400):
        self.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False})
        self.browser.get(pathlib.Path(self.site, page).as_uri())

    def type(self, text):
        self.browser.find_element(By.ID, "query").send_keys(text)
        return self.browser.find_elements(By.CSS_SELECTOR, "#found li")

    def test_no_page_has_errors_or_is_wider_than_a_phone(self):
        for path in sorted(glob.glob(os.path.join(self.site, "**", "*.html"), recursive=True)):
            page = os.path.relpath(path, self.site)
            with self.subTest(page):
                self.open(page, width=390)
                self.assertEqual(self.browser.get_log("browser"), [])
                self.assertLessEqual(self.browser.execute_script(
                    "return document.documentElement.scrollWidth"), 390)

    def test_the_search_leads_to_a_section_from_any_page(self):
        self.open("how-to/read-the-report.html")
        found = self.type("rules of progress")
        self.assertIn("Rules of progress", found[0].text)
        found[0].find_element(By.TAG_NAME, "a").click()
        self.assertTrue(self.browser.current_url.endswith("/model.html#rules-of-progress"))

    def test_the_search_goes_by_how_words_begin(self):
        self.open("index.html")
        self.assertIn("Read the report: When there is no answer",
                      [item.text.splitlines()[0] for item in self.type("deadlo")])
        self.open("index.html")
        self.assertEqual([item.text for item in self.type("eadlock")],
                         ["Nothing has all of these words."])

    def test_the_search_says_when_it_finds_nothing_and_escape_ends_it(self):
        self.open("index.html")
        self.assertEqual([item.text for item in self.type("nosuchword")],
                         ["Nothing has all of these words."])
        self.assertEqual(self.type(Keys.ESCAPE), [])


if __name__ == "__main__":
    BUILD = os.path.abspath(sys.argv.pop(1)) if len(sys.argv) > 1 else os.path.join(ROOT, "build")
    for program in ("mkdocs", "chromium", "chromedriver"):
        if shutil.which(program) is None:
            print(f"SKIP site_browser: {program} is not installed")
            sys.exit(SKIPPED)
    unittest.main()
