"""Metrics: how they are counted, how they are told, and what Prometheus makes of them."""
