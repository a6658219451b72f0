"""Chronik against Apache Kafka: the figures that `make bench` prints, measured with C clients."""
