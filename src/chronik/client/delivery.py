"""The result of sending a record: acknowledged, refused, or unknown."""

from enum import Enum
from typing import Final, NamedTuple

from chronik.model.errors import ErrorCode
from chronik.model.ids import TopicPartition


class DeliveryOutcome(Enum):
    """Whether the record was appended."""

    ACKNOWLEDGED = "acknowledged"
    REFUSED = "refused"
    """Certainly not appended."""
    UNKNOWN = "unknown"
    """Perhaps appended: no response, acks=0, or an error that can come after the append."""


class DeliveryReport(NamedTuple):
    """The result for one record; ``offset`` is -1 if the broker did not return it."""

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
"""Errors that a broker returns before it appends.

NOT_LEADER_OR_FOLLOWER is not one: it also ends a produce that was appended and waited for replicas when the leadership
ended.
"""
