# SPDX-License-Identifier: LGPL-2.1-or-later
"""Trust in a fitted model: measured cases, predicted and compared."""
