# SPDX-License-Identifier: LGPL-2.1-or-later
"""Shared by plots and validation: inputs and outputs, quantities, the style of pictures."""
