# SPDX-License-Identifier: LGPL-2.1-or-later
"""Steps of training jobs that others measured, predicted from one GPU's."""
