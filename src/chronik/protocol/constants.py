"""Kafka's special values in requests, and the versions at which a request changes its meaning.

The codec carries all fields of all versions. A version that only adds a field needs no constant; a version from which a
request must be built or read differently has its number here, for clients, brokers, the proxy and the audit alike.
"""

from typing import Final

ACKS_ALL: Final = -1
"""``acks`` of a produce request: the leader answers when all in-sync replicas have the records."""

CONSUMER_REPLICA_ID: Final = -1
"""The replica id of a client: it reads up to the high watermark, from the leader."""
DEBUGGING_CONSUMER_ID: Final = -2
"""The replica id of Kafka's debugging consumer: it reads up to the log end, from any replica."""

LATEST_TIMESTAMP: Final = -1
"""ListOffsets: the high watermark (for ``read_committed``: the last stable offset)."""
EARLIEST_TIMESTAMP: Final = -2
"""ListOffsets: the log start offset."""
MAX_TIMESTAMP: Final = -3
"""ListOffsets: the record with the highest timestamp."""
EARLIEST_LOCAL_TIMESTAMP: Final = -4
LATEST_TIERED_TIMESTAMP: Final = -5
EARLIEST_PENDING_UPLOAD_TIMESTAMP: Final = -6

NO_FETCH_SESSION: Final = 0
INITIAL_FETCH_EPOCH: Final = 0
FINAL_FETCH_EPOCH: Final = -1
"""Without a session id: this fetch neither uses nor opens a session."""

NO_GENERATION: Final = -1
"""The generation of an offset commit that comes from outside the group's membership."""

BROKER_DEFAULT: Final = -1
"""The broker decides: partitions and replication factor of a new topic, retention of a committed offset."""

PRODUCE_LAST_VERSION_BY_NAME: Final = 12
PRODUCE_FIRST_VERSION_BY_ID: Final = 13
FETCH_LAST_VERSION_BY_NAME: Final = 12
FETCH_FIRST_VERSION_BY_ID: Final = 13
FETCH_FIRST_VERSION_WITH_REPLICA_STATE: Final = 15
"""The replica id moves into ``replica_state``, beside the broker epoch."""
OFFSET_COMMIT_LAST_VERSION_BY_NAME: Final = 9
OFFSET_FETCH_FIRST_VERSION_WITH_GROUPS: Final = 8
FIND_COORDINATOR_FIRST_VERSION_WITH_KEYS: Final = 4
DELETE_TOPICS_FIRST_VERSION_BY_ID: Final = 6
