"""Metrics, logs and traces. Nothing is decided by them."""
