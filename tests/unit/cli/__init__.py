"""The commands, in parts."""
