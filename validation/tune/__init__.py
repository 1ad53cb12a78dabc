# SPDX-License-Identifier: LGPL-2.1-or-later
"""Which algorithm is best for which size here, and the file that makes a library take it.

May import `common`, calibration/, doctor/ and the modules that lie in validation/ itself. Inside:
formats/ lies below all else.
"""
