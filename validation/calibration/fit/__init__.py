# SPDX-License-Identifier: LGPL-2.1-or-later
"""Fits a library profile and a cluster to what was measured."""
