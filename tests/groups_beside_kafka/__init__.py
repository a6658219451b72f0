"""The coordinator beside that of a live Apache Kafka: both are asked the same, step by step."""
