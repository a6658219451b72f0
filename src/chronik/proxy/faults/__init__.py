"""The faults that the proxy injects, by subject."""
