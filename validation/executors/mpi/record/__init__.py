# SPDX-License-Identifier: LGPL-2.1-or-later
"""Recorded programs: what the recorder writes."""
