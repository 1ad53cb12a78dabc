# SPDX-License-Identifier: LGPL-2.1-or-later
"""Published times of non-blocking collectives beside a computation, and their predictions."""
