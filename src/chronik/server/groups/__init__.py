"""The group coordinator of this broker: shards, loading and placement of consumer groups."""
