# SPDX-License-Identifier: LGPL-2.1-or-later
"""Options of a language model job, fitted to measured steps or to a trace of one rank's step.

May import `imports`, and of `verdict` the simulator and the text.
"""
