# SPDX-License-Identifier: LGPL-2.1-or-later
"""From measurements to a model, and how far to trust it: imports, the fit, validation, prediction.

May import `common` and the modules that lie in validation/ itself. Inside: imports/ below verdict/
below fit/ and nccl/, and above all the programs calibrate, import, predict and validate.
"""
