"""From verdicts and evidence to a root cause."""
