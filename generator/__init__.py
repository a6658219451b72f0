"""Writes the wire codec and its compatibility page from Kafka's published message definitions."""
