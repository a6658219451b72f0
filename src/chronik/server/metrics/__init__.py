"""Metrics of a broker in the words that Prometheus and Kafka's dashboards know."""
