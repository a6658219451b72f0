"""The cluster metadata as an immutable image, and the keys and values that it is read from."""
