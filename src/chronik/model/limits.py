"""Every bound that is not a setting, in one place, with the relations between them asserted."""

from typing import Final

RECEIVE_BUFFER_BYTES: Final = 64 * 1024
"""What a connection reads into at rest; a longer frame borrows a buffer of its own size."""

FRAME_STALL_S: Final = 10.0
"""How long a connection may hold a borrowed buffer without progress while others wait for memory."""

POOLED_BUFFER_BYTES_MAX: Final = 16 * 1024 * 1024
"""Free receive buffers that are kept for the next long frame."""

IN_FLIGHT_REQUESTS_PER_CONNECTION_MAX: Final = 1000
"""Requests of one connection that may wait for their answer before it is no longer read."""

ACCEPTS_PER_EVENT_MAX: Final = 64

FETCH_SESSION_PARTITIONS_MAX: Final = 100_000

assert RECEIVE_BUFFER_BYTES <= POOLED_BUFFER_BYTES_MAX
