"""``chronik trace``."""
