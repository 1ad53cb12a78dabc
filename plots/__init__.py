# SPDX-License-Identifier: LGPL-2.1-or-later
"""Pictures from the CSV and JSON that `ringscope run` writes."""
