"""Trials made of several runs: the accident, the matrix of client settings, the three phases."""
