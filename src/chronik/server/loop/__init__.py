"""The event loop: clock, supervised tasks, loop delay, and threads for blocking disk calls."""
