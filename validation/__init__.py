# SPDX-License-Identifier: LGPL-2.1-or-later
"""Measurements, and how far to trust a model of them: imports, the fit, the verdict.

Modules that lie here may import `common` alone: all folders build on them.
"""

import pathlib

PUBLISHED = pathlib.Path(__file__).resolve().parent / "published"
