"""Spark with Chronik: one session for all of these tests, and brokers beside it."""
