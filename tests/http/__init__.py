"""The HTTP side: what it answers, on real sockets, and what it withstands."""
