"""``chronik doctor``."""
