"""The page in a real browser, on real clusters."""
