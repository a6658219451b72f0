"""The programs that an audit's run starts: real clients, one process each, with ledgers."""
