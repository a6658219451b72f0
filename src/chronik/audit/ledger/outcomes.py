"""What a client's error proves: that a message was never appended, that the client never took it, or nothing.

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
"""What a broker refuses for what the message is: every attempt alike."""

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
"""What is refused before the append, but may come after an attempt that was appended and whose answer was lost."""

PURGED_FROM_QUEUE: Final = -152
"""librdkafka's code of a message that was purged while it waited to be sent, for the first time or once more."""

DROPPED_BY_ABORT: Final = "^_PURGE_QUEUE|^_PURGE_INFLIGHT|TransactionAborted"
"""What clients say of a message that they give up because its transaction is aborted, sent already or not."""


def outcome_of_code(code: int, *, is_retried: bool) -> SendOutcome:
    """Say what an error code proves; ``is_retried`` where the client may have tried more than once."""
    if code in REFUSED_ALWAYS:
        return SendOutcome.REFUSED
    is_refused = code in REFUSED_THIS_TIME or code == PURGED_FROM_QUEUE
    return SendOutcome.REFUSED if is_refused and not is_retried else SendOutcome.UNKNOWN
