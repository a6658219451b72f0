"""Several brokers as real processes, and what a cluster of them owes its clients."""
