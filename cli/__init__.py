"""Tests of the program from outside."""
