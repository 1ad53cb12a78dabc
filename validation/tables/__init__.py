# SPDX-License-Identifier: LGPL-2.1-or-later
"""Kept results (validation/results) and published times, predicted again: tables of their errors.

May import `common`, calibration/ and the modules that lie in validation/ itself.
"""
