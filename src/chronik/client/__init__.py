"""Chronik's own client for the Kafka protocol."""
