"""Chronik: a Kafka-compatible event log that accounts for every message."""

__version__ = "0.1.0"
