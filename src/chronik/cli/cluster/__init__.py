"""``chronik cluster``."""
