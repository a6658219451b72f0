"""The queries of the diagnosis rules, by subject."""
