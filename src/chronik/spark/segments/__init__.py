"""Segment files as a source, without a broker."""
