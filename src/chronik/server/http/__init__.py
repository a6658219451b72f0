"""The HTTP server: health, metrics, status as JSON, the page. Read-only, limited, on the broker's event loop."""
