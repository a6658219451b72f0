"""Producers and consumers of each client library that record into a ledger."""
