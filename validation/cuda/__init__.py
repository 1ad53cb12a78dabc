"""Tests of the executor on GPUs."""
