"""Our own wire client."""
