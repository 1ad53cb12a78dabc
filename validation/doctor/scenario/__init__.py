# SPDX-License-Identifier: LGPL-2.1-or-later
"""Scenario of a measured curve: cluster and library as maps, jobs. Causes edit it."""
