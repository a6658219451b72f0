"""Reading a partition over the wire from a Spark task."""
