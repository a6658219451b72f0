"""Metrics, logs and traces: how we watch, never how we decide."""
