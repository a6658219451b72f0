"""Consumer groups and their offsets: state machines whose records live in ``__consumer_offsets``."""
