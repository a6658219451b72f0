"""From recorded tables to one verdict per message."""
