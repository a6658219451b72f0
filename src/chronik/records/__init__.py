"""Record batches as bytes: the same on the wire and on disk."""
