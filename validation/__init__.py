"""Measurements, and how far to trust a model of them: imports, the fit, the verdict."""
