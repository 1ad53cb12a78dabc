# SPDX-License-Identifier: LGPL-2.1-or-later
"""A cluster of network namespaces on one machine."""
