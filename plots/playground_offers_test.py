# SPDX-License-Identifier: LGPL-2.1-or-later
"""Does every value run that a control of the playground offers, in every lesson?

All values of the controls that a lesson is about; of the others the first, the middle and the last.
Usage: python3 -m plots.playground_offers_test BUILD, where BUILD holds the native program. Needs
node to read the controls, and no page.
"""

import concurrent.futures
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import unittest

from plots.playground import course
from plots.playground_state_test import in_node
from validation.doctor.scenario import parts

ROOT = pathlib.Path(__file__).resolve().parent.parent
AT_ONCE = 50  # cases of one run
ONCE = {"steps", "micro_batches"}  # repeated work, once unless a control offers counts of it
# Each different set of keys of each run, with the control and the value that make it.
OFFERS = """
const [lists, runs] = input, {settings} = new RunSettings(0, lists, () => {});
return runs.map(([run, one, keys]) => {
  const offers = new Map();
  for (const setting of settings) {
    setting.show(one);
    if (setting.node.hidden) continue;
    const values = setting.values(one), last = values.length - 1;
    // Of long ranges of counts powers of two and the last one
    const some = values.filter((_, i) => keys.includes(setting.key)
      ? last < 32 || i === last || (i & (i + 1)) === 0 : [0, last >> 1, last].includes(i));
    for (const text of some) {
      const changed = {case: run.case, set: {...run.set}, refused: {}};
      changeRun(changed, setting instanceof Nics ? "nics" : setting.key, text, one, lists);
      offers.set(JSON.stringify(changed.set), [setting.key, text, Object.entries(changed.set)]);
    }
  }
  return [...offers.values()]; });"""


class Offers(unittest.TestCase):
    build = None

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)

    def ringscope(self, *arguments):
        return subprocess.run([str(self.build / "ringscope"), *arguments], capture_output=True,
                              text=True, cwd=ROOT, timeout=250, check=False)

    def listed(self, what):
        return json.loads(self.ringscope("list", what, "--json", "-").stdout)[what]

    def shown(self, lesson, run):
        """A run as the page shows it, for its controls."""
        text = (ROOT / f"scenarios/lessons/{lesson['id']}.yaml").read_text(encoding="utf-8")
        scenario = course.load(course.without_lesson(text))
        cases = {case["name"]: case.get("set", {}) for case in scenario.pop("cases", [])}
        scenario.pop("compare", None)
        keys = cases[run["case"]] if run.get("case") else next(iter(cases.values()), {})
        done = self.ended(scenario, [("", "", [*keys.items(), *run["set"].items()])],
                          "--json", "-")
        answer = json.loads(done.stdout)
        case = (answer["cases"] + answer.get("stuck", []))[0]
        hosts = sorted({rank["host"] for rank in case["ranks"]},
                       key=lambda name: int(re.search(r"\d+$", name)[0]))
        placement = case["scenario"]["placement"]
        gpu = 0 if "gpu" in json.dumps(placement) else -1
        places = [{"host": int(re.search(r"\d+$", rank["host"])[0]), "gpu": gpu}
                  for rank in case["ranks"]]
        return {"resolved": case["scenario"], "places": places, "report": case,
                "hosts": [{"name": name} for name in hosts]}

    def offers(self):
        """(lesson, index of a run, scenario, [(control, value, [(key, its text)])]) of each run."""
        lists = {"libraries": [{**one, "gpus": "p2p" in parts.resolved("library", one["name"])}
                               for one in self.listed("libraries")],
                 "algorithms": [{**one, "name": one["algorithm"]}
                                for one in self.listed("algorithms")]}
        runs = [(lesson, index, run, self.shown(lesson, run)) for lesson in course.lessons()
                for index, run in enumerate(lesson["runs"])]
        for *_, one in runs:
            if "program" in (job := one["resolved"]["job"]):
                for key in ("collective", "algorithm"):
                    job.pop(key, None)
        offers = in_node(OFFERS, [lists, [(run, one, lesson.get("settings", []))
                                          for lesson, _, run, one in runs]])
        for (lesson, index, _, one), its in zip(runs, offers, strict=True):
            options = one["resolved"]["job"].get("options", {})
            options.update(dict.fromkeys(ONCE & options.keys(), 1))
            yield lesson["id"], index, one["resolved"], its

    def ended(self, scenario, offers, *options):
        """How the scenario ended, with the changes of each offer as a case of its own."""
        def value(text):
            return course.load(text) if isinstance(text, str) else text

        cases = [{"name": str(i), "set": {key: value(text) for key, text in changes}}
                 for i, (_, _, changes) in enumerate(offers)]
        path = pathlib.Path(self.folder.name) / f"{threading.get_ident()}.yaml"
        path.write_text(json.dumps({**scenario, "cases": cases}), encoding="utf-8")
        return self.ringscope("run", "--quiet", "--kernel", "fluid", str(path), *options)

    def test_every_value_of_every_control_of_every_lesson_runs(self):
        batches = [(lesson, run, scenario, offers[first:first + AT_ONCE])
                   for lesson, run, scenario, offers in self.offers()
                   for first in range(0, len(offers), AT_ONCE)]
        self.assertGreater(sum(len(offers) for *_, offers in batches), 1000)
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            ends = pool.map(lambda batch: self.ended(*batch[2:]), batches)
            for (lesson, run, scenario, offers), done in zip(batches, ends):
                # The error of a batch is of one of its offers, which is found alone.
                for key, text, changes in offers if done.returncode else ():
                    with self.subTest(lesson=lesson, run=run, key=key, value=text):
                        alone = self.ended(scenario, [(key, text, changes)])
                        # A deadlock is an answer, too.
                        self.assertIn(alone.returncode, (0, 3), alone.stderr)


def main():
    if not shutil.which("node"):
        print("SKIP playground: no node: run scripts/install_packages all")
        sys.exit(77)
    Offers.build = pathlib.Path(sys.argv[1]).resolve()
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])


if __name__ == "__main__":
    main()
