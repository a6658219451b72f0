"""``format("chronik")`` as a source: batch and streaming readers, and the views that they return."""
