# SPDX-License-Identifier: LGPL-2.1-or-later
"""Does `validate` say, or refuse, what nobody has told it: whose rules, and which machine?

Usage: python3 -m validation.calibration.verdict.doubts_test BUILD
"""

import json
import pathlib
import sys
import unittest

from validation.calibration.verdict.round_trip_test import WithPrograms


class Doubts(WithPrograms):
    def test_the_table_of_an_unknown_mpi_is_called_a_guess(self):
        measured = self.measured_by_the_simulator()
        for one in measured:
            one.scenario, one.parameters["algorithm"] = None, ""
        for mpi, said in (("", "where.mpi is empty"),
                          ("an MPI", "where.mpi is 'an MPI', no version of Open MPI")):
            path = self.document(measured, mpi=mpi)
            guess = (f"{path}: 4 of allreduce are predicted as open_mpi_tuned chooses, which is a "
                     f"guess: {said}; versions differ, --algorithm allreduce=NAME sets it")
            ran = self.validate(self.model(), path)
            self.assertEqual((ran.returncode, ran.stderr), (0, f"validate: warning: {guess}\n"))
            self.assertIn(f"warning: {guess}\n", ran.stdout)
            self.assertIn(f"by allreduce open_mpi_tuned (a guess: {said})", ran.stdout)
            ran = self.validate(self.model(), path, "--json", "-")
            self.assertEqual(json.loads(ran.stdout)["warnings"], [guess])
            known = self.verdict(self.model(), path, "--algorithm", "allreduce=open_mpi_tuned")
            self.assertEqual(known["warnings"], [])

    def test_a_fit_of_something_emulated_is_of_another_machine_and_so_is_one_of_nothing(self):
        measured = self.measured_by_the_simulator()
        slept = "send 8 ns/B, slept"
        for fitted, emulated, expected, got in (("", slept, "nothing", f"'{slept}'"),
                                                (slept, "", f"'{slept}'", "nothing"),
                                                (slept, "send 4 ns/B, slept", f"'{slept}'",
                                                 "'send 4 ns/B, slept'")):
            model = self.model(calibration={"emulated": fitted})
            path = self.document(measured, emulated=emulated)
            ran = self.validate(model, path)
            self.assertEqual((ran.returncode, ran.stdout), (1, ""))
            self.assertIn(f"{path}: where.emulated: expected {expected}, as calibration.emulated "
                          f"of {model}, got {got}", ran.stderr)
            ran = self.validate(model, path, "--any-emulation")
            warning = (f"{path}: {got} was emulated in the predicted cases, {expected} in the "
                       "fitted ones: these are two machines\n")
            self.assertEqual((ran.returncode, ran.stderr), (0, f"validate: warning: {warning}"))
            self.assertIn(f"warning: {warning}", ran.stdout)


if __name__ == "__main__":
    WithPrograms.build = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()
