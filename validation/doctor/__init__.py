# SPDX-License-Identifier: LGPL-2.1-or-later
"""Is a measured curve normal, and if not, which known cause explains it?

May import `common`, calibration/ and the modules that lie in validation/ itself. Inside: scenario/
below causes/ below the doctor, and above all judge/, which counts how often it is right.
"""
