"""Pages for users: their commands and screens, and the site that is built of them."""
