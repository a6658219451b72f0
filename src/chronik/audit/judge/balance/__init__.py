"""Pass 1: summaries of what was sent, stored and delivered, and where they do not balance."""
