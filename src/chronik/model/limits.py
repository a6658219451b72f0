"""All limits that are not settings, with the relations between them asserted."""

from typing import Final

RECEIVE_BUFFER_BYTES: Final = 64 * 1024
"""The receive buffer of an idle connection; a longer frame gets its own buffer."""

FRAME_STALL_S: Final = 10.0
"""How long a connection may hold its own buffer without progress while others wait for memory."""

POOLED_BUFFER_BYTES_MAX: Final = 16 * 1024 * 1024
"""Free receive buffers that are kept for the next long frame."""

IN_FLIGHT_REQUESTS_PER_CONNECTION_MAX: Final = 1000
"""Requests of one connection that may wait for their response before it is no longer read."""

ACCEPTS_PER_EVENT_MAX: Final = 64

FETCH_SESSION_PARTITIONS_MAX: Final = 100_000

HTTP_CONNECTIONS_MAX: Final = 64
"""Further connections get an error and are closed."""

HTTP_HEAD_BYTES_MAX: Final = 16 * 1024

HTTP_HEAD_S_MAX: Final = 10.0
"""How long a request's head may take from its first byte on, and the first byte of a new connection."""

HTTP_IDLE_S_MAX: Final = 30.0
"""How long a connection may be idle between two requests."""

HTTP_ANSWER_S_MAX: Final = 10.0
"""How long a client may take to receive a response."""

HTTP_LINGER_S_MAX: Final = 1.0
"""How long a rejected connection stays open, so that the client can read the reason."""

HTTP_SLICE_S_MAX: Final = 0.002
"""How long building a response may block the event loop."""

HTTP_PEER_S_MAX: Final = 1.0
"""How long another broker may take to respond."""

HTTP_PEER_BYTES_MAX: Final = 64 * 1024 * 1024
"""The size limit of another broker's response: some 150,000 replicas."""

assert RECEIVE_BUFFER_BYTES <= POOLED_BUFFER_BYTES_MAX
assert HTTP_PEER_S_MAX < HTTP_ANSWER_S_MAX < HTTP_IDLE_S_MAX
