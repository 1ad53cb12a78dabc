# SPDX-License-Identifier: LGPL-2.1-or-later
"""A recorded program, predicted on placements where it was not recorded, and measured there."""
