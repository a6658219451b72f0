"""The metrics of a broker, for Prometheus, with the names that Kafka's dashboards use."""
