"""``chronik audit``."""
