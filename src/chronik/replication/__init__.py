"""Leader and follower of one partition, as cores without I/O."""
