"""``chronik topic``."""
