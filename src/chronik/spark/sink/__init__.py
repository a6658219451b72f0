"""``format("chronik")`` as a sink."""
