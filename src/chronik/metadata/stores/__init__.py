"""The metadata store: one small port, and an engine for each URL scheme."""
