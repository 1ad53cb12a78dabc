# SPDX-License-Identifier: LGPL-2.1-or-later
"""Pages for users: their commands and screens, and the site that is built of them."""
