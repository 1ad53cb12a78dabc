# SPDX-License-Identifier: LGPL-2.1-or-later
"""Steps of large models that others measured, predicted from data sheets."""
