"""The HTTP side: health, metrics, the cluster's facts as JSON, the page. Read-only, bounded, on the broker's loop."""
