"""The metadata image as responses show it."""
