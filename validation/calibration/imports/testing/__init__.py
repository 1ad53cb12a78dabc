# SPDX-License-Identifier: LGPL-2.1-or-later
"""Inputs in the true forms of benchmarks, with what must come out; changes of them to fuzz with."""
