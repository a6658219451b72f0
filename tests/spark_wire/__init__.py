"""The Spark source's reading of real brokers, without Spark."""
