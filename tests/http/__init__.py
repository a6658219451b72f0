"""The HTTP server: what it answers, on real sockets, and what it withstands."""
