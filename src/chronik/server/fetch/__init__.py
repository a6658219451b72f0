"""Fetch: reading, waiting, fetch sessions, and the fetch trace."""
