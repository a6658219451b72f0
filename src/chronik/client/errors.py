"""The client's errors, split by who can do something about them."""

from chronik.model.errors import ErrorCode


class ClientError(Exception):
    """The base of all errors of this client; ``advice`` says what the caller can do."""

    def __init__(self, what: str, *, advice: str = "") -> None:
        super().__init__(what)
        self.what = what
        self.advice = advice


class UnreachableError(ClientError):
    """There was no response, so the outcome of the request is unknown."""


class ConnectionFailedError(UnreachableError):
    """A connection could not be opened, or ended before all responses had come."""


class RequestTimedOutError(UnreachableError):
    """The broker did not answer in time."""


class BrokenAnswerError(ClientError):
    """The peer sent bytes that are not a Kafka response: too large, out of order, or malformed."""


class UnsupportedByBrokerError(ClientError):
    """The broker and this client have no version of an API in common."""


class RefusedError(ClientError):
    """The cluster returned an error code."""

    def __init__(self, error: ErrorCode, where: str, message: str | None = None, *, advice: str = "") -> None:
        super().__init__(_refusal_text(error, where, message), advice=advice or ADVICE.get(error, ""))
        self.error = error
        self.where = where
        self.message = message


class SettingsRefusedError(ClientError):
    """Unknown client settings, or invalid values."""


def _refusal_text(error: ErrorCode, where: str, message: str | None) -> str:
    text = f"{where}: {error.name}"
    return f"{text}: {message}" if message else text


ADVICE = {
    ErrorCode.UNKNOWN_TOPIC_OR_PARTITION: "See 'chronik topic list', or use 'chronik topic create'.",
    ErrorCode.TOPIC_ALREADY_EXISTS: "Choose another name, or change it with 'chronik topic alter'.",
    ErrorCode.OFFSET_OUT_OF_RANGE: "Use an offset between log start and high watermark ('chronik topic describe').",
    ErrorCode.MESSAGE_TOO_LARGE: "Send smaller messages, or raise max.message.bytes of the topic.",
    ErrorCode.RECORD_LIST_TOO_LARGE: "Send smaller batches (-X batch.size=BYTES).",
    ErrorCode.INVALID_REPLICATION_FACTOR: "Use a replication factor between 1 and the number of brokers.",
    ErrorCode.NOT_ENOUGH_REPLICAS: "Bring more replicas back, or lower min.insync.replicas of the topic.",
    ErrorCode.NOT_ENOUGH_REPLICAS_AFTER_APPEND: "Bring more replicas back, or lower min.insync.replicas of the topic.",
    ErrorCode.LEADER_NOT_AVAILABLE: "Wait for an election, or check that the partition's replicas are running.",
    ErrorCode.KAFKA_STORAGE_ERROR: "Look at the broker's log: its disk failed or is full.",
    ErrorCode.CORRUPT_MESSAGE: "Run 'chronik log verify' on the partition's directory.",
    ErrorCode.TOPIC_AUTHORIZATION_FAILED: "Ask the cluster's operator for access to this topic.",
    ErrorCode.CLUSTER_AUTHORIZATION_FAILED: "Ask the cluster's operator for access.",
    ErrorCode.GROUP_AUTHORIZATION_FAILED: "Ask the cluster's operator for access to this group.",
    ErrorCode.GROUP_ID_NOT_FOUND: "See 'chronik group list'.",
    ErrorCode.INVALID_GROUP_ID: "Use a group name that is not empty.",
    ErrorCode.NON_EMPTY_GROUP: "Stop its members first: 'chronik group describe --members' names them.",
    ErrorCode.GROUP_SUBSCRIBED_TO_TOPIC: "Stop the members that read this topic: "
    "'chronik group describe --members' names them.",
    ErrorCode.UNKNOWN_MEMBER_ID: "A member has joined meanwhile: stop it, then try again.",
    ErrorCode.COORDINATOR_NOT_AVAILABLE: "Wait until the partitions of __consumer_offsets have leaders, "
    "or check that all brokers are running.",
    ErrorCode.COORDINATOR_LOAD_IN_PROGRESS: "Wait until the coordinator has read its groups, or raise --timeout.",
    ErrorCode.NOT_COORDINATOR: "The group's coordinator moved; try again.",
}


def error_of(code: int) -> ErrorCode:
    """Return the error of a code; an unknown code of a newer broker is UNKNOWN_SERVER_ERROR."""
    try:
        return ErrorCode(code)
    except ValueError:
        return ErrorCode.UNKNOWN_SERVER_ERROR


def refusal(code: int, where: str, message: str | None = None) -> RefusedError | None:
    """Return the error of a code as an exception, to keep or to raise; None without an error."""
    if code == ErrorCode.NONE:
        return None
    error = error_of(code)
    detail = message if error.value == code else f"error code {code} {message or ''}".strip()
    return RefusedError(error, where, detail)


def check(code: int, where: str, message: str | None = None) -> None:
    """Raise :class:`RefusedError` if the code is an error."""
    refused = refusal(code, where, message)
    if refused is not None:
        raise refused
