"""A Kafka proxy: records what passes (the tap), and misbehaves on request (the faults)."""
