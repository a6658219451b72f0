"""Traces: what brokers tell of requests, watermarks and leaders, and when they tell nothing."""
