# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tests of the executor on GPUs."""
