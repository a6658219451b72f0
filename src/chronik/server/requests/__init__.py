"""From a frame to its handler: dispatch, the context of a request, and topic creation."""
