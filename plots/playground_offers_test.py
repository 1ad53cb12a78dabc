# SPDX-License-Identifier: LGPL-2.1-or-later
"""Does every value run that a control of the playground offers, in every lesson?

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
import unittest

from plots.playground_state_test import in_node

ROOT = pathlib.Path(__file__).resolve().parent.parent
LESSONS = json.loads((ROOT / "plots/playground/lessons.json").read_text(encoding="utf-8"))
# Each different set of keys, with the control and the value that make it.
OFFERS = """
const {run, one, lists} = input, offers = new Map();
const settings = new RunSettings(0, lists, () => {}).settings;
for (const setting of settings) {
  setting.show(one);
  if (setting.node.hidden) continue;
  const values = setting.values(one), last = values.length - 1;
  // Of long ranges of counts powers of two and the last one
  const some = values.filter((_, i) => last < 32 || i === last || (i & (i + 1)) === 0);
  for (const text of some) {
    const changed = {case: run.case, set: {...run.set}, refused: {}};
    changeRun(changed, setting instanceof Nics ? "nics" : setting.key, text, one, lists);
    offers.set(JSON.stringify(changed.set), [setting.key, text, Object.entries(changed.set)]);
  }
}
return [...offers.values()];"""


def for_gpus(library):
    """True if a library has ways between GPUs, as cli/web/answers.cpp finds it."""
    text = (ROOT / f"scenarios/libraries/{library}.yaml").read_text(encoding="utf-8")
    base = re.search(r"^base: (\S+)", text, re.MULTILINE)
    return bool(re.search(r"^p2p:", text, re.MULTILINE)) or bool(base) and for_gpus(base[1])


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

    @staticmethod
    def options(changes):
        return [word for key, text in changes for word in ("--set", f"{key}={text}")]

    def shown(self, lesson, run):
        """A run as the page shows it, for its controls."""
        case = ["--case", run["case"]] if run.get("case") else []
        done = self.ringscope("run", lesson["scenario"], *case, "--kernel", "fluid", "--json", "-",
                              *self.options(run.get("set", {}).items()))
        answer = json.loads(done.stdout)
        case = (answer["cases"] + answer.get("stuck", []))[0]
        hosts = sorted({rank["host"] for rank in case["ranks"]},
                       key=lambda name: int(re.search(r"\d+$", name)[0]))
        placement = case["scenario"]["placement"]
        gpu = 0 if isinstance(placement, dict) and placement.get("on") == "gpu" else -1
        places = [{"host": int(re.search(r"\d+$", rank["host"])[0]), "gpu": gpu}
                  for rank in case["ranks"]]
        return {"resolved": case["scenario"], "places": places, "report": case,
                "hosts": [{"name": name} for name in hosts]}

    def offers(self):
        """(lesson, run, control, value, options) of each offer. A run is a file of its own: --set
        would change the other cases, too."""
        lists = {"libraries": [{**one, "gpus": for_gpus(one["name"])}
                               for one in self.listed("libraries")],
                 "algorithms": [{**one, "name": one["algorithm"]}
                                for one in self.listed("algorithms")]}
        for lesson in LESSONS:
            for side in ("left", "right"):
                if (run := lesson.get(side)) is None:
                    continue
                one = self.shown(lesson, run)
                if "program" in (job := one["resolved"]["job"]):
                    del job["collective"], job["algorithm"]
                path = pathlib.Path(self.folder.name) / f"{lesson['id']}-{side}.yaml"
                path.write_text(json.dumps(one["resolved"]), encoding="utf-8")
                given = {"run": {"case": "", "set": {}, **run}, "one": one, "lists": lists}
                for key, text, changes in in_node(OFFERS, given):
                    yield lesson["id"], side, key, text, [str(path), *self.options(changes)]

    def test_every_value_of_every_control_of_every_lesson_runs(self):
        offers = list(self.offers())
        self.assertGreater(len(offers), 2000)
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            ends = pool.map(lambda offer: self.ringscope(
                "run", "--quiet", "--kernel", "fluid", *offer[-1]), offers)
            for (lesson, side, key, text, _), done in zip(offers, ends):
                with self.subTest(lesson=lesson, side=side, key=key, value=text):
                    # A deadlock is an answer, too.
                    self.assertIn(done.returncode, (0, 3), done.stderr)


def main():
    if not shutil.which("node"):
        print("SKIP playground: no node: run scripts/install_packages all")
        sys.exit(77)
    Offers.build = pathlib.Path(sys.argv[1]).resolve()
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])


if __name__ == "__main__":
    main()
