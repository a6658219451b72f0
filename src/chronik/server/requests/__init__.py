"""From a frame to its handler: dispatch, request context, topic creation."""
