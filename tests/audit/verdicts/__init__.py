"""Tests of the arithmetic and the verdicts."""
