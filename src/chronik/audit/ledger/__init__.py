"""Ledgers: what producers sent and consumers received, durable while it happens."""
