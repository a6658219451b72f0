"""What brokers log."""
