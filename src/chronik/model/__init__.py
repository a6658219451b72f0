"""The vocabulary that every layer shares: ids, topics, limits, errors."""
