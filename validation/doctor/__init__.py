# SPDX-License-Identifier: LGPL-2.1-or-later
"""Is a measured curve normal, and if not, which known cause explains it?"""
