"""What became of a record that was sent: acknowledged, refused, or not known."""

from enum import Enum
from typing import Final, NamedTuple

from chronik.model.errors import ErrorCode
from chronik.model.ids import TopicPartition


class DeliveryOutcome(Enum):
    """How certain the sender can be."""

    ACKNOWLEDGED = "acknowledged"
    REFUSED = "refused"
    """Proved never to have been appended."""
    UNKNOWN = "unknown"
    """Perhaps appended: no answer, acks=0, or an error that can come after the append."""


class DeliveryReport(NamedTuple):
    """The result for one record; ``offset`` is -1 unless the broker told it."""

    topic_partition: TopicPartition
    outcome: DeliveryOutcome
    offset: int = -1
    timestamp_ms: int = -1
    error: ErrorCode = ErrorCode.NONE
    reason: str = ""


APPEND_DISPROVED: Final = frozenset(
    {
        ErrorCode.MESSAGE_TOO_LARGE,
        ErrorCode.RECORD_LIST_TOO_LARGE,
        ErrorCode.INVALID_RECORD,
        ErrorCode.INVALID_TIMESTAMP,
        ErrorCode.CORRUPT_MESSAGE,
        ErrorCode.INVALID_REQUIRED_ACKS,
        ErrorCode.INVALID_TOPIC_EXCEPTION,
        ErrorCode.UNSUPPORTED_FOR_MESSAGE_FORMAT,
        ErrorCode.UNSUPPORTED_COMPRESSION_TYPE,
        ErrorCode.NOT_ENOUGH_REPLICAS,
        ErrorCode.TOPIC_AUTHORIZATION_FAILED,
        ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER,
        ErrorCode.INVALID_PRODUCER_EPOCH,
        ErrorCode.PRODUCER_FENCED,
    }
)
"""Errors that a broker answers before it appends. NOT_LEADER_OR_FOLLOWER is not one: it also ends a produce that was
appended and waited for replicas when the leadership ended."""
