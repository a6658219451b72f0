"""Client connections: listeners, frames, and the memory that requests and responses hold."""
