"""Sixty-four clients that come, go and crash, and an account of every message: `make soak`."""
