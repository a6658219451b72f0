"""The way of a fetch: reading, waiting, fetch sessions and its trace."""
