"""Fits a library profile and a cluster to what was measured."""
