"""``chronik archive``."""
