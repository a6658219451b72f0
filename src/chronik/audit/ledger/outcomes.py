"""What a client's error proves: that a message was never appended, that the client rejected it, or nothing.

A refusal of an attempt proves nothing where attempts before it may have been appended, unless the broker would have
refused each of them for the same reason. An error that is in neither table proves nothing.
"""

from typing import Final

from chronik.audit.tables.schemas import SendOutcome
from chronik.model.errors import ErrorCode

REFUSED_ALWAYS: Final = frozenset(
    {
        ErrorCode.MESSAGE_TOO_LARGE,
        ErrorCode.INVALID_TOPIC_EXCEPTION,
        ErrorCode.RECORD_LIST_TOO_LARGE,
        ErrorCode.INVALID_REQUIRED_ACKS,
        ErrorCode.INVALID_TIMESTAMP,
        ErrorCode.INVALID_RECORD,
        ErrorCode.UNSUPPORTED_FOR_MESSAGE_FORMAT,
    }
)
"""Errors about the message itself: the broker refuses every attempt."""

REFUSED_THIS_TIME: Final = frozenset(
    {
        ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
        ErrorCode.LEADER_NOT_AVAILABLE,
        ErrorCode.NOT_LEADER_OR_FOLLOWER,
        ErrorCode.NOT_ENOUGH_REPLICAS,
        ErrorCode.CORRUPT_MESSAGE,
        ErrorCode.TOPIC_AUTHORIZATION_FAILED,
        ErrorCode.CLUSTER_AUTHORIZATION_FAILED,
        ErrorCode.POLICY_VIOLATION,
        ErrorCode.THROTTLING_QUOTA_EXCEEDED,
    }
)
"""Errors before the append; an earlier attempt may have been appended, with its response lost."""

PURGED_FROM_QUEUE: Final = -152
"""librdkafka's code of a message that was purged while it waited to be sent, for the first time or once more."""

DROPPED_BY_ABORT: Final = "^_PURGE_QUEUE|^_PURGE_INFLIGHT|TransactionAborted"
"""Errors of messages that a client drops because their transaction is aborted, sent already or not."""


def outcome_of_code(code: int, *, is_retried: bool) -> SendOutcome:
    """Return what an error code proves; ``is_retried`` if the client may have sent the message more than once."""
    if code in REFUSED_ALWAYS:
        return SendOutcome.REFUSED
    is_refused = code in REFUSED_THIS_TIME or code == PURGED_FROM_QUEUE
    return SendOutcome.REFUSED if is_refused and not is_retried else SendOutcome.UNKNOWN
