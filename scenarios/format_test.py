#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Do format.md and its pages have every key that the program reads and no other, and run examples?

Usage: scenarios/format_test.py BUILD
What the program reads is in its own words: an unknown key draws a list of the known ones.
"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

from format_objects_for_test import FAMILIES, GOOD, MAPS, OPTIONS, STEPS, STUDIES

HERE = pathlib.Path(__file__).resolve().parent
CONTENTS = (HERE / "format.md").read_text(encoding="utf-8")
PAGES = {path.name: path.read_text(encoding="utf-8") for path in (HERE / "format").glob("*.md")}
TEXT = "\n".join([*PAGES.values(), CONTENTS])


def rows():
    """Rows of tables "key of MAP, MAP" as (map, key, default)."""
    maps = None
    for line in TEXT.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if not line.startswith("|"):
            maps = None
        elif maps is None:
            maps = re.findall(r"\w+", cells[0].removeprefix("key of ")) if "key of" in line else []
        elif cells[0].startswith("`"):
            for one in maps:
                yield one, cells[0].strip("`"), cells[2]


def fabric(host, trunks):
    """A fabric of two switches whose only host has these keys, too."""
    return {**GOOD["cluster"], "network": "fabric", "switches": ["a", "b"],
            "hosts": [{"name": "n", "to": ["a"], **host}], "trunks": trunks}


def custom(parts):
    return {**GOOD["cluster"], "host": {"type": "custom", "domains": [{}], **parts}}


def documented(*maps):
    return {key for of_map, key, _ in rows() if of_map in maps}


class Format(unittest.TestCase):
    build = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.write("hosts", "host0 slots=1\nhost1 slots=1\n")
        self.write("good.yaml", json.dumps(GOOD))

    def write(self, name, text):
        (self.folder / name).write_text(text, encoding="utf-8")

    def run_file(self, name, changes=(), arguments=()):
        sets = [word for change in changes for word in ("--set", change)]
        return self.program("run", name, *sets, *arguments)

    def program(self, *words):
        return subprocess.run([str(self.build / "ringscope"), *words], check=False,
                              capture_output=True, text=True, cwd=self.folder, timeout=60)

    def known(self, changes, place):
        error = self.run_file("good.yaml", [*changes, f"{place}zzz=1"]).stderr
        found = re.search(r"unknown key 'zzz'.* \(known: ([^)]*)\)", error)
        self.assertTrue(found, error)
        return set(found[1].split(", "))

    def test_every_known_key_is_documented_and_no_other(self):
        for name, (changes, place) in MAPS.items():
            with self.subTest(name):
                if name in FAMILIES:  # a base is resolved before the rest is read
                    expected = documented("cluster", name) - {"base"}
                else:
                    expected = documented(name)
                self.assertEqual(self.known(changes, place), expected)

    def test_the_keys_of_options_cases_and_lists(self):
        self.assertEqual(documented("options"), set(OPTIONS))
        for option, changes in OPTIONS.items():
            self.assertIn(option, self.known(changes, "job.options."))
        for name, key, value in (
            ("case", "cases", [{"name": "a", "zzz": 1}]),
            ("list", "placement", [{"host": 0, "zzz": 1}]),
            ("uncached", "library", {**GOOD["library"], "uncached": [{"above": "1 B", "zzz": 1}]}),
            ("band", "library", {"base": "ideal", "spread": {"one_host": [{"low": 1, "high": 1,
                                                                       "a": 1}]}}),
            ("degraded", "cluster", {**GOOD["cluster"], "degraded": [
                {"link": "host0/nic0->switch", "share": 1, "zzz": 1}]}),
            ("unlike", "cluster", {**GOOD["cluster"], "unlike": [
                {"hosts": ["host0"], "host": {"cores": 2}, "zzz": 1}]}),
            ("domain", "cluster", custom({"domains": [{"zzz": 1}]})),
            ("custom_gpu", "cluster", custom({"gpus": [{"zzz": 1}]})),
            ("custom_link", "cluster", custom({"links": [
                {"from": "numa0", "to": "nic0", "bandwidth": "1 B/s", "latency": "0 s",
                 "zzz": 1}]})),
            ("fabric_host", "cluster", fabric({"zzz": 1}, [])),
            ("fabric_to", "cluster", fabric({"to": [{"switch": "a", "zzz": 1}]}, [])),
            ("trunks", "cluster", fabric({}, [{"from": "a", "to": "b", "zzz": 1}])),
        ):
            self.write("bad.yaml", json.dumps({**GOOD, key: value}))
            found = re.search(r"known: ([^)]*)", self.run_file("bad.yaml").stderr)
            self.assertEqual(set(found[1].split(", ")), documented(name))

    def test_a_missing_key_is_not_taken_for_another_misspelt(self):
        """Each other key of a map stands there, one by one, while a required one is missing."""
        for of_map in {one for one, _, _ in rows()} & set(MAPS):
            keys = {key: default for one, key, default in rows() if one == of_map}
            changes, place = MAPS[of_map]
            for key in (key for key, default in keys.items() if default == "**required**"):
                for other in keys.keys() - {key}:
                    error = self.run_file(
                        "good.yaml", [*changes, f"{place}{other}=1", f"{place}{key}=null"]).stderr
                    self.assertNotIn(f"unknown key '{other}'", error, f"{of_map}.{key}")

    def test_the_keys_of_steps(self):
        found = {"allreduce"}
        for step in STEPS:
            self.write("bad.yaml", json.dumps({**GOOD, "job": {"program": [{**step, "zzz": 1}]}}))
            found |= {*re.split(r"known: |\)", self.run_file("bad.yaml").stderr)[1].split(", ")}
        self.assertEqual(found, documented("step") | {"allreduce"})

    def test_the_keys_of_a_study(self):
        for name, around in STUDIES.items():
            with self.subTest(name):
                self.write("study.yaml", json.dumps(around({"zzz": 1})))
                error = self.program("sweep", "study.yaml", "--no-store").stderr
                found = re.search(r"unknown key 'zzz'.* \(known: ([^)]*)\)", error)
                self.assertTrue(found, error)
                self.assertEqual(set(found[1].split(", ")), documented(name))

    def test_every_map_in_the_tables_is_one_of_these(self):
        known = {*MAPS, "cluster", "options", "case", "band", "list", "layer", "degraded", "needs",
                 "uncached", "unlike", "domain", "custom_gpu", "custom_link", "fabric_host",
                 "fabric_to", "trunks", "step", "place", *STUDIES}
        self.assertEqual({of_map for of_map, _, _ in rows() if of_map} - known, set())

    def test_every_key_of_place_is_documented_and_no_other(self):
        self.write("study.yaml", json.dumps({"scenario": GOOD, "place": {"zzz": 1}}))
        done = self.program("place", "study.yaml")
        found = re.search(r"unknown key 'zzz'.* \(known: ([^)]*)\)", done.stderr)
        self.assertEqual(set(found[1].split(", ")), documented("place"))

    def test_contents_link_every_page_in_forty_lines(self):
        linked = re.findall(r"\(format/(\w+\.md)\)", CONTENTS)
        self.assertEqual(sorted(linked), sorted(PAGES))
        self.assertLessEqual(len(CONTENTS.splitlines()), 40)

    def test_section_opens_with_example_above_its_keys(self):
        """The example above the first heading counts for the first section, too."""
        for text in PAGES.values():
            for section in re.split(r"\n## ", text.replace("\n## ", "\n", 1)):
                table = section.find("| key of")
                self.assertTrue(table < 0 or 0 <= section.find("```yaml") < table, section[:50])

    def resolved(self, changes, place):
        done = self.run_file("good.yaml", changes, ("--json", "-"))
        self.assertEqual(done.returncode, 0, done.stderr)
        here = json.loads(done.stdout)["cases"][0]["scenario"]
        for key in filter(None, place.split(".")):
            here = here[key]
        return here

    def test_every_default_is_the_one_that_is_resolved(self):
        maps = {**MAPS, "cluster": ([], "cluster."), "library": ([], "library.")}
        compared = 0
        for of_map, key, default in rows():
            if of_map not in maps and of_map != "options":
                continue
            changes, place = maps.get(of_map) or (OPTIONS[key], "job.options.")
            if default[:1] != "`" or default == "`{}`" or of_map in ("hostfile", "tf_config"):
                continue
            if of_map == "placement" or of_map in FAMILIES:  # a base has values of its own
                continue
            with self.subTest(f"{of_map}.{key}"):
                value = self.resolved(changes, place)[key]
                self.assertEqual(f"`{value}`", default)
                compared += 1
        self.assertGreater(compared, 30)

    def test_every_example_runs(self):
        for name, text in re.findall(r"^```hostfile (\S+)\n(.*?)^```", TEXT, re.M | re.S):
            self.write(name, text)
        examples = re.findall(r"^```yaml\n(.*?)^```", TEXT, re.M | re.S)
        self.assertGreaterEqual(len(examples), 3)
        for example in examples:
            with self.subTest(example):
                keys = re.findall(r"^(\w+):", example, re.M)
                if "place" in keys:
                    words = ("place", "example.yaml", "--no-store", "--verify", "0", "--quiet")
                elif "scenario" in keys:
                    words = ("sweep", "example.yaml", "--no-store", "--verify", "0", "--quiet")
                else:  # some keys of a scenario: the others are those of a good one
                    words = ("run", "example.yaml")
                    example = "".join(f"{key}: {json.dumps(value)}\n" for key, value in GOOD.items()
                                      if key not in keys) + example
                self.write("example.yaml", example)
                done = self.program(*words)
                self.assertEqual((done.returncode, done.stderr), (0, ""))


def main():
    Format.build = pathlib.Path(sys.argv[1]).resolve()
    unittest.main(argv=sys.argv[:1])


if __name__ == "__main__":
    main()
