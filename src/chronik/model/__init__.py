"""The words that every layer shares: ids, topics, limits, errors."""
