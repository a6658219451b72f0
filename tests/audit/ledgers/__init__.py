"""Ledgers, hooks, the observer and runs."""
