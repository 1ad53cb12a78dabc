#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Does the site read well in a browser: without errors, with its search, and on a phone?

Usage: scripts/site_browser_test.py BUILD [SITE], where BUILD holds the program, and SITE is the
site that docs_test.py has built. Without SITE, this test builds one. Needs mkdocs, chromium,
chromium-driver and python3-selenium; skips where one is missing.
"""

import glob
import importlib.util
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
                 "--window-size=1400,1000", "--allow-file-access-from-files"):
        options.add_argument(word)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    return webdriver.Chrome(service=Service(shutil.which("chromedriver")), options=options)


class Reader(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.site = SITE
        if not cls.site:
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

    def paste(self, text):
        """The texts of the items that are found. Each key that `type` presses is a search."""
        return self.browser.execute_script("""
            const query = document.getElementById("query");
            query.value = arguments[0];
            query.dispatchEvent(new Event("input"));
            return [...document.querySelectorAll("#found li")].map(item => item.innerText);""",
                                           text)

    def test_no_page_has_errors_or_is_wider_than_a_phone(self):
        """In a frame that is not painted: a navigation of the window costs twice as much."""
        self.open("index.html")
        self.browser.execute_script("""document.body.innerHTML = "<iframe id='frame'></iframe>";
            frame.style = "position: fixed; width: 390px; height: 900px; border: 0; opacity: 0";""")
        for path in sorted(glob.glob(os.path.join(self.site, "**", "*.html"), recursive=True)):
            page = os.path.relpath(path, self.site)
            with self.subTest(page):
                wide = self.browser.execute_async_script("""const [page, done] = arguments;
                    frame.onload = () =>
                      done(frame.contentDocument.documentElement.scrollWidth);
                    frame.src = page;""", pathlib.Path(path).as_uri())
                self.assertEqual(self.browser.get_log("browser"), [])
                self.assertLessEqual(wide, 390)

    def test_the_search_leads_to_a_section_from_any_page(self):
        self.open("how-to/read-the-report.html")
        found = self.type("weak progress")
        self.assertIn("Weak and strong progress", found[0].text)
        found[0].find_element(By.TAG_NAME, "a").click()
        self.assertTrue(self.browser.current_url.endswith(
            "/messages-and-progress.html#weak-and-strong-progress"))

    def test_terms_of_the_field_lead_to_their_explanation(self):
        self.open("index.html")
        for asked, found in {
                "exposed communication": "exposed communication",
                "why does NCCL pick trees": "Why NCCL picks trees",
                "oversubscribed uplink": "Oversubscribed uplinks", "incast": "Incast",
                "alpha-beta": "alpha-beta", "congestion": "ongestion", "MFU": "MFU",
                "bandwidth-optimal": "andwidth-optimal", "packet loss": "Not modelled",
                "LogGOPSim": "LogGOPSim", "exit codes": "exit codes"}.items():
            with self.subTest(asked):
                self.assertIn(found.lower(), "\n".join(self.paste(asked)[:3]).lower())

    def test_the_search_goes_by_how_words_begin(self):
        self.open("index.html")
        self.assertIn("Read the report: Deadlocks",
                      [item.splitlines()[0] for item in self.paste("deadlo")])
        self.assertEqual(self.paste("eadlock"), ["Nothing has any of these words."])

    def test_the_search_says_when_it_finds_nothing_and_escape_ends_it(self):
        self.open("index.html")
        self.assertEqual([item.text for item in self.type("nosuchword")],
                         ["Nothing has any of these words."])
        self.assertEqual(self.type(Keys.ESCAPE), [])

    def test_the_search_takes_questions_and_other_names_of_things(self):
        self.open("index.html")
        for text in ("ring vs parameter server", "ncclAllReduce", "MPI_Allreduce", "rccl",
                     "which deadlocks?"):
            with self.subTest(text):
                self.assertNotIn("Nothing", self.paste(text)[0])
        found = self.paste("deadlock nosuchword")
        self.assertEqual(found[0], "Nothing has all of these words. Sections with most of them:")
        self.assertIn("Read the report: Deadlocks",
                      [text.splitlines()[0] for text in found])

    def test_search_accepts_plurals_and_synonyms(self):
        self.open("index.html")
        for asked, found in {
                "latencies": "latency", "topology": "topolog", "deadlocks": "Deadlocks",
                "all reduce": "allreduce", "all-reduce": "allreduce", "freezes": "deadlock",
                "contention": "ongestion", "accelerators": "GPU", "throughput": "bandwidth",
                "slurm prolog": "batch script", "mapping of ranks": "place",
                "slow node": "one slow host", "accurate": "accuracy",
                "how long does the placement search take": "Duration and time limits",
                "faulty link": "Degraded links"}.items():
            with self.subTest(asked):
                items = self.paste(asked)
                self.assertNotIn("Nothing", items[0])
                self.assertIn(found.lower(), "\n".join(items[:3]).lower())

    def test_search_corrects_a_wrong_letter_and_splits_joined_words(self):
        self.open("index.html")
        for asked, found in {
                "allreduse": "allreduce", "straglers": "one slow host", "congetsion": "congestion",
                "packetloss": "packets, loss", "oversubscribedlink": "Oversubscribed uplinks",
                "pipelineparallelism": "parallelism of a model"}.items():
            with self.subTest(asked):
                self.assertIn(found.lower(), "\n".join(self.paste(asked)[:3]).lower())

    def test_search_lists_sections_with_any_of_the_words_after_those_with_all(self):
        self.open("index.html")
        items = [item.lower() for item in self.paste("MFU deadlock")]
        self.assertTrue(any("mfu" in item and "deadlock" not in item for item in items), items)
        self.assertTrue(any("deadlock" in item and "mfu" not in item for item in items), items)

    def test_pictures_below_commands_load_and_fit_a_phone(self):
        if importlib.util.find_spec("matplotlib") is None:
            self.skipTest("matplotlib is not installed")
        self.open("how-to/draw-pictures.html", width=390)
        widths = self.browser.execute_script("""
            return [...document.querySelectorAll("figure img")]
              .map(one => [one.naturalWidth, one.getBoundingClientRect().width])""")
        self.assertGreater(len(widths), 3)
        for natural, shown in widths:
            self.assertGreater(natural, 0)
            self.assertTrue(200 < shown <= 390, widths)

    def test_questions_of_the_founding_documents_lead_to_a_command_and_its_reason(self):
        mine = "Answer common questions: "
        self.open("index.html")
        for asked, found in {
                "why is 4-3-1 slower than 4-2-2?": mine + "Why is 4-3-1 slower than 4-2-2?",
                "Irecv Send Wait one after the other": mine + "Blocking calls, threads, NUMA",
                "does NCCL have the anomaly too": mine + "Does NCCL have the anomaly too?",
                "InfiniBand in a container is slower": "Find why InfiniBand is slow",
                "eliminate the network part": "Find why InfiniBand is slow: Without the network",
                "steps batch records epochs": "Find the time of a training",
                "baidu allreduce": mine + "Is the ring of baidu-allreduce faster",
                "btl self,tcp": "Translate MPI settings: Transports and threads",
                "mpirun hostfile slots": "Translate MPI settings: Placement of ranks",
                "HOROVOD_GPU_ALLREDUCE=NCCL": "Translate MPI settings: Horovod",
                "scatter gather broadcast": mine + "How long do broadcast, scatter",
                "why is Horovod slow": mine + "Why is Horovod slow on a small model?",
                "MirroredStrategy vs CentralStorage": mine + "MirroredStrategy",
                "ImageNet in 20 minutes": "Find the time of a training",
                "GPUs hang with NCCL and IOMMU": mine + "Do my GPUs hang",
                "1 Gbit/s is not enough": mine + "Is 1 Gbit/s enough?",
                "why are my GPUs not busy": "Find what starves the GPUs",
                "pulls of the weights take seconds": mine + "Why does a pull of the weights",
                "queue of 100 batches": "Find what starves the GPUs: Queue of batches",
                "MNIST 1 Gbit/s linear": "Compare asynchronous updates",
                "pinned memory cudaMallocHost": mine + "Is pinned memory faster",
                "P2P instead of host reduce": mine + "Is pinned memory faster"}.items():
            with self.subTest(asked):
                self.assertIn(found, "\n".join(item.splitlines()[0]
                                               for item in self.paste(asked)[:3]))

    def test_each_block_but_output_is_copied_by_a_button_without_prompts(self):
        self.open("index.html")
        blocks = self.browser.find_elements(By.CSS_SELECTOR, "main pre > code")
        screens = self.browser.find_elements(By.CSS_SELECTOR, "main pre > .language-text")
        self.assertGreater(len(screens), 0)
        self.assertEqual(len(self.browser.find_elements(By.CSS_SELECTOR, ".block button")),
                         len(blocks) - len(screens))
        copied = self.browser.execute_async_script("""
            const done = arguments[0], copied = [];
            navigator.clipboard.writeText = async text => { copied.push(text); };
            for (const button of document.querySelectorAll(".block button")) button.click();
            setTimeout(() => done(copied), 100);""")
        self.assertIn("scripts/demo", copied)

    def test_the_head_of_a_page_is_one_row_on_a_phone(self):
        self.open("index.html", width=390)
        middles = self.browser.execute_script("""
            return [...document.querySelectorAll("header > a, header > input")]
              .map(one => one.getBoundingClientRect()).map(box => box.top + box.height / 2)""")
        self.assertLess(max(middles) - min(middles), 12)

    def test_each_page_leads_to_the_one_before_and_the_next(self):
        self.open("how-to/read-the-report.html")
        links = self.browser.find_elements(By.CSS_SELECTOR, "footer a")
        self.assertEqual([link.text.split(":")[0] for link in links], ["Before", "Next"])


if __name__ == "__main__":
    BUILD = os.path.abspath(sys.argv.pop(1)) if len(sys.argv) > 1 else os.path.join(ROOT, "build")
    SITE = sys.argv.pop(1) if len(sys.argv) > 1 and "/" in sys.argv[1] else None
    for program in ("mkdocs", "chromium", "chromedriver"):
        if shutil.which(program) is None:
            print(f"SKIP site_browser: {program} is not installed")
            sys.exit(SKIPPED)
    unittest.main()
