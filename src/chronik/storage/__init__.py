"""One partition's log on one disk: bytes and offsets, no requests, no peers."""
