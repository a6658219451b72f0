"""Consumer groups in the client: members, assignments, committed offsets, administration."""
