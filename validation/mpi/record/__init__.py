"""Recorded programs: what the recorder writes."""
