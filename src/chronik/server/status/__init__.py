"""What this broker and the cluster report about themselves, for the HTTP API and the metrics."""
