# SPDX-License-Identifier: LGPL-2.1-or-later
"""Kept results (validation/results) and published times, predicted again: tables of their errors.

May import all of validation/ but doctor/, tune/ and lab/; none of it imports these.
"""
