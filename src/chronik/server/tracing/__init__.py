"""Switching traces on and off, and writing trace files."""
