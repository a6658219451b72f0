"""The broker settings: Kafka's names and meanings, from file, environment and command line."""
