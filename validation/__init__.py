"""What was measured, and how far to trust a model of it: imports, the fit, the verdict."""
