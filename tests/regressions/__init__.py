"""Rules that Kafka-compatible logs have broken, each a test against a real broker process."""
