"""From options and offsets to the slices that tasks read."""
