# SPDX-License-Identifier: LGPL-2.1-or-later
"""Parts of the tests, and the fuzzers."""
