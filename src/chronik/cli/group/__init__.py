"""``chronik group``."""
