"""Connections of Kafka's protocol: listeners, frames, and the memory of requests and responses."""
