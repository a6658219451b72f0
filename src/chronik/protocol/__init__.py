"""Requests and responses: frames, headers, messages, and the one table of APIs."""
