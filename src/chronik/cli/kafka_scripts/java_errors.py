"""Errors in the words of Kafka's Java client, which its tools print."""

from typing import Final

from chronik.client.errors import ClientError, RefusedError
from chronik.model.errors import ErrorCode

_PACKAGE: Final = "org.apache.kafka.common.errors"

_NAMES: Final = {
    ErrorCode.NON_EMPTY_GROUP: "GroupNotEmpty",
    ErrorCode.TOPIC_ALREADY_EXISTS: "TopicExists",
    ErrorCode.INVALID_CONFIG: "InvalidConfiguration",
    ErrorCode.INVALID_TOPIC_EXCEPTION: "InvalidTopic",
    ErrorCode.REQUEST_TIMED_OUT: "Timeout",
}

_MESSAGES: Final = {
    ErrorCode.GROUP_ID_NOT_FOUND: "The group id does not exist.",
    ErrorCode.NON_EMPTY_GROUP: "The group is not empty.",
    ErrorCode.GROUP_SUBSCRIBED_TO_TOPIC: "Deleting offsets of a topic is forbidden while the consumer group is "
    "actively subscribed to it.",
    ErrorCode.UNKNOWN_TOPIC_OR_PARTITION: "This server does not host this topic-partition.",
    ErrorCode.SECURITY_DISABLED: "Security features are disabled.",
    ErrorCode.UNKNOWN_MEMBER_ID: "The coordinator is not aware of this member.",
}


def java_name(error: ErrorCode) -> str:
    """Return the Java class of an error."""
    words = _NAMES.get(error) or "".join(word.capitalize() for word in error.name.split("_"))
    return f"{_PACKAGE}.{words}Exception"


def java_message(error: ClientError) -> str:
    """Return what the Java client would say of an error: the broker's words, or its own."""
    if not isinstance(error, RefusedError):
        return error.what
    return error.message or _MESSAGES.get(error.error) or error.error.name


def java_text(error: ClientError) -> str:
    """Return class and message."""
    if not isinstance(error, RefusedError):
        return error.what
    return f"{java_name(error.error)}: {java_message(error)}"
