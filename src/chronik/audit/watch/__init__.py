"""The continuous audit of a live topic."""
