# SPDX-License-Identifier: LGPL-2.1-or-later
"""A cluster of network namespaces on one machine.

May import `common` and the modules that lie in validation/ itself.
"""
