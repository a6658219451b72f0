"""Pass 2: the verdict of each message that does not balance."""
