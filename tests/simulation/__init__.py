"""The simulated cluster: seeds, directed scenarios named after the rules of replication, and deliberate bugs."""
