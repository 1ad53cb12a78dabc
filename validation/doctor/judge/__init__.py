# SPDX-License-Identifier: LGPL-2.1-or-later
"""How often the doctor is right: simulated faults, healthy curves, cases of issue trackers."""
