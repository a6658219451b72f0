"""Chronik's tests, by kind: what is shared by several kinds lies beside this file."""
