"""Brokers killed, paused, cut off and starved by a seed, and an account of every message: `make nemesis`."""
