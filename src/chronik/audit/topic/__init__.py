"""The audit of a topic without ledgers: what its batches prove by themselves."""
