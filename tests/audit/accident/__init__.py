"""The accident replayed, and a table of faults that the audit must name."""
