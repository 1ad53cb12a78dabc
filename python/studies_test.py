# SPDX-License-Identifier: LGPL-2.1-or-later
"""Are sweeps from Python those of the program, also on a Dask cluster that loses a worker?"""

import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import unittest.mock
import warnings

import pandas

import ringscope

STUDY = {
    "scenario": {
        "question": "Which rate do eight ranks need?",
        "cluster": "rack3", "library": "slow_tcp", "placement": "4-3-1",
        "job": {"collective": "allreduce", "algorithm": "ring", "bytes": "1 MiB"}},
    "sweep": {"grid": {"job.bytes": ["64 KiB", "1 MiB", "16 MiB"],
                       "placement": ["4-3-1", "4-2-2", "8"]}},
    "metrics": ["time_s", "busbw"],
}
# Some seconds of work, as one worker is stopped in its midst.
LONG = {**STUDY, "scenario": {**STUDY["scenario"], "job": {
    **STUDY["scenario"]["job"], "repetitions": 300, "skew": "1 us"}}}


class Sweeps(unittest.TestCase):
    def test_have_the_rows_of_the_program(self):
        written = json.loads(subprocess.run(
            [BUILD / "ringscope", "sweep", "cores-or-wires", "--no-store", "--verify", "0",
             "--json", "-"], capture_output=True, text=True, check=True).stdout)
        frame = ringscope.sweep("cores-or-wires")
        self.assertEqual(list(frame["case"]), [row["case"] for row in written["rows"]])
        for key in written["keys"]:
            self.assertEqual(list(frame[key]), [row["set"][key] for row in written["rows"]])
        for metric in written["rows"][0]["metrics"]:
            self.assertEqual(list(frame[metric]),
                             [row["metrics"][metric] for row in written["rows"]])
        self.assertEqual(frame.attrs["study"], "cores-or-wires")

    def test_options_of_the_program_are_keyword_arguments(self):
        frame = ringscope.sweep(STUDY)
        found = ringscope.sweep(STUDY, objective="busbw", exact=True, threads=2)
        for seconds, expected in zip(found["time_s"], frame["time_s"], strict=True):
            self.assertAlmostEqual(seconds, expected, delta=1e-9 * expected)
        self.assertLess(list(found.columns).index("busbw"), list(found.columns).index("time_s"))
        self.assertNotEqual(list(ringscope.sweep(STUDY, library="rdma")["time_s"]),
                            list(frame["time_s"]))
        with self.assertRaisesRegex(ringscope.InputError, "'--objectiv'; did you mean"):
            ringscope.sweep(STUDY, objectiv="busbw")
        with self.assertRaisesRegex(ValueError, "exact are this process's"):
            ringscope.sweep(STUDY, exact=True, client=object())

    def test_may_be_dicts(self):
        frame = ringscope.sweep(STUDY)
        self.assertEqual(frame.shape[0], 9)
        alone = ringscope.run(STUDY["scenario"], set={"placement": "8"}).only.time_s
        chosen = frame[(frame["job.bytes"] == "1 MiB") & (frame["placement"].astype(str) == "8")]
        self.assertEqual(list(chosen["time_s"]), [alone])

    def test_texts_sort_as_the_study_has_them(self):
        frame = ringscope.sweep(STUDY)
        table = frame.pivot(index="job.bytes", columns="placement", values="time_s")
        self.assertEqual(list(table.index), ["64 KiB", "1 MiB", "16 MiB"])
        self.assertEqual([str(name) for name in table.columns], ["4-3-1", "4-2-2", "8"])
        self.assertTrue((frame["job.bytes"] < "16 MiB").any())
        numbers = ringscope.sweep({**STUDY, "sweep": {"grid": {"job.seed": [10, 9]}}})
        self.assertEqual(list(numbers["job.seed"] + 1), [11, 10])

    def test_quantities_are_numbers_too(self):
        frame = ringscope.sweep({**STUDY, "sweep": {"grid": {
            "job.bytes": ["64 KiB", "1 MiB"], "cluster.link.bandwidth": ["1 Gbit/s", "1 GB/s"],
            "placement": ["4-4", "8"]}}})
        self.assertEqual(list(frame["job.bytes (B)"].unique()), [2 ** 16, 2 ** 20])
        self.assertEqual(list(frame["cluster.link.bandwidth (B/s)"].unique()), [1e9 / 8, 1e9])
        self.assertFalse([name for name in frame.columns if name.startswith("placement ")])

    def test_a_notebook_without_widgets_is_not_warned(self):
        notebook = unittest.mock.Mock()
        notebook.get_ipython.return_value.config = {"IPKernelApp": {}}
        parts = {name: module for name, module in sys.modules.items() if "tqdm" in name}
        with unittest.mock.patch.dict(sys.modules, {"IPython": notebook, "ipywidgets": None}):
            for name in parts:
                del sys.modules[name]
            with warnings.catch_warnings(record=True) as seen:
                warnings.simplefilter("always")
                ringscope.sweep(STUDY)
        sys.modules.update(parts)
        self.assertEqual([str(one.message) for one in seen], [])

    def test_go_on_where_a_store_ends(self):
        with tempfile.TemporaryDirectory() as folder:
            store = os.path.join(folder, "kept.sqlite")
            first = ringscope.sweep(STUDY, store=store)
            pandas.testing.assert_frame_equal(first, ringscope.sweep(STUDY, store=store))

    def test_ask_for_pandas_before_they_simulate(self):
        shares = []
        with unittest.mock.patch.dict(sys.modules, {"pandas": None}):
            with self.assertRaisesRegex(ImportError, "apt install python3-pandas"):
                ringscope.sweep(STUDY, progress=shares.append)
        self.assertEqual(shares, [])

    def test_refuse_a_metric_that_is_none(self):
        with self.assertRaisesRegex(ringscope.InputError, "did you mean 'busbw'"):
            ringscope.sweep({**STUDY, "metrics": ["buswb"]})


class OnDask(unittest.TestCase):
    def setUp(self):
        warnings.simplefilter("ignore")
        from distributed import Client, LocalCluster
        self.cluster = LocalCluster(n_workers=2, threads_per_worker=1, processes=True,
                                    dashboard_address=None, silence_logs=50)
        self.client = Client(self.cluster)
        self.addCleanup(self.cluster.close)
        self.addCleanup(self.client.close)

    def test_the_rows_are_the_same(self):
        pandas.testing.assert_frame_equal(ringscope.sweep(STUDY, client=self.client),
                                          ringscope.sweep(STUDY))

    def test_the_rows_are_the_same_where_a_worker_dies(self):
        begun = threading.Event()

        def kill():
            begun.wait(60)
            pids = self.client.run(os.getpid)
            os.kill(sorted(pids.values())[0], signal.SIGKILL)

        killer = threading.Thread(target=kill)
        killer.start()
        frame = ringscope.sweep(LONG, client=self.client, progress=lambda share: begun.set())
        killer.join()
        pandas.testing.assert_frame_equal(frame, ringscope.sweep(LONG))

    def test_threads_and_stores_of_this_process_are_refused(self):
        with self.assertRaisesRegex(ValueError, "its workers"):
            ringscope.sweep(STUDY, client=self.client, threads=2)


if __name__ == "__main__":
    BUILD = pathlib.Path(sys.argv.pop(1)).resolve()
    try:
        import distributed  # noqa: F401
    except ImportError:
        print("skipped: python3-distributed is not installed")
        sys.exit(77)
    unittest.main()
