"""Tests of studies under mpirun."""
