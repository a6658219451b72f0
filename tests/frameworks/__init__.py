"""Real stream-processing frameworks on a real broker, each with a small program."""
