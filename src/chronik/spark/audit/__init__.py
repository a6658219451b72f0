"""The audit on Spark: the same pure functions as without it, run in tasks and merged by a shuffle."""
