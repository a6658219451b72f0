"""The status of this broker and of the cluster, for the HTTP API and the metrics."""
