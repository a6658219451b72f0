"""Commands in a real terminal."""
