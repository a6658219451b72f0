"""The client matrix: every client that matters, with everything that it can do, against a real broker."""
