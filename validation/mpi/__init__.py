"""Tests of the executor on MPI."""
