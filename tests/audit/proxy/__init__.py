"""The man in the middle: what it rewrites, records and spoils."""
