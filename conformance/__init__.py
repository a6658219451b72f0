"""librdkafka's own tests, run against a broker: `make conformance`. The list in `tests.txt` only grows."""
