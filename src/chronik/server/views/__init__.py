"""What the metadata image looks like in responses to clients."""
