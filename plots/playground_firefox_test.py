# SPDX-License-Identifier: LGPL-2.1-or-later
"""Does the playground start and answer in Firefox as in Chromium?

Usage: python3 -m plots.playground_firefox_test BUILD, as playground_test.py; needs firefox-esr, and
skips without it. Debian has no geckodriver: Firefox is driven by its own protocol, Marionette.
"""

import json
import pathlib
import socket
import subprocess
import sys
import tempfile
import time
import unittest

from plots.lesson_test import ROOT, time_text
from plots.playground.page_for_test import PAGE, skip_without_page


class Marionette:
    """Firefox without a window: messages are `length:[0, id, command, parameters]`."""

    def __init__(self, profile):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        pathlib.Path(profile, "user.js").write_text(
            f'user_pref("marionette.port", {port});\n', encoding="utf-8")
        self.process = subprocess.Popen(
            ["firefox-esr", "--headless", "--no-remote", "--marionette", "--profile", profile],
            env={"HOME": profile, "PATH": "/usr/bin:/bin"}, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        end = time.monotonic() + 90
        while True:
            try:
                self.socket = socket.create_connection(("127.0.0.1", port), timeout=90)
                break
            except ConnectionRefusedError:
                if time.monotonic() > end:
                    raise
                time.sleep(0.2)
        self.count = 0
        self.read()  # its greeting
        self.ask("WebDriver:NewSession")

    def read(self):
        size = b""
        while not size.endswith(b":"):
            size += self.socket.recv(1)
        content = b""
        while len(content) < int(size[:-1]):
            content += self.socket.recv(1 << 16)
        return json.loads(content)

    def ask(self, command, **parameters):
        self.count += 1
        text = json.dumps([0, self.count, command, parameters]).encode()
        self.socket.sendall(b"%d:%s" % (len(text), text))
        _, _, error, result = self.read()
        if error:
            raise AssertionError(error)
        return result

    def script(self, text):
        return self.ask("WebDriver:ExecuteScript", script=text, args=[], sandbox=None)["value"]

    def end(self):
        self.socket.close()
        self.process.terminate()
        self.process.wait(30)


class Firefox(unittest.TestCase):
    build = None

    def test_page_answers_as_the_command_line_does(self):
        folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        self.addCleanup(folder.cleanup)
        firefox = Marionette(folder.name)
        self.addCleanup(firefox.end)
        firefox.ask("WebDriver:Navigate", url=f"{PAGE.as_uri()}#lesson=03&said=a+1.5")
        shown = "return [...document.querySelectorAll('.total')].map(one => one.textContent)"
        end = time.monotonic() + 90
        while len(firefox.script(shown)) < 2:
            self.assertLess(time.monotonic(), end, firefox.script(
                "return document.getElementById('complaint').textContent"))
            time.sleep(0.1)
        done = subprocess.run([str(self.build / "ringscope"), "run", "03-anomaly", "--no-skip",
                               "--json", "-"], cwd=ROOT, capture_output=True, check=True)
        times = [case["time_s"] for case in json.loads(done.stdout)["cases"]]
        self.assertEqual(firefox.script(shown), [time_text(one) for one in times])


def main():
    skip_without_page("firefox-esr")
    Firefox.build = pathlib.Path(sys.argv[1]).resolve()
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])


if __name__ == "__main__":
    main()
