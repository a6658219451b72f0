"""Deliberate bugs, each a small patch of the product: the simulation must find every one of them."""
