"""The events of a trace: the one place where they are defined.

JSON, the files, the columns in Spark and the table in the documentation are made from these classes and from
``COLUMNS``. An event is a named tuple, because several are created per request; its external name is in ``EVENTS``. The
request is in the same four fields everywhere: ``topic``, ``partition``, ``client_id`` and ``correlation_id``.
"""

from typing import Final, Literal, NamedTuple

NOBODY: Final = -1
"""Instead of a broker id: a consumer where a follower is named, or no leader."""

Replicas = tuple[int, ...]


class FetchStarted(NamedTuple):
    """A fetch requests a partition."""

    topic: str
    partition: int
    client_id: str | None
    correlation_id: int
    replica: int
    offset: int
    bytes_max: int
    bytes_min: int
    wait_ms_max: int


class WatermarkChecked(NamedTuple):
    """The fetch offset is compared with the high watermark, at the start and whenever the fetch is woken."""

    topic: str
    partition: int
    client_id: str | None
    correlation_id: int
    offset: int
    high_watermark: int
    gap: int
    log_end: int


class DataFound(NamedTuple):
    """There is data for this reader, about this many bytes."""

    topic: str
    partition: int
    client_id: str | None
    correlation_id: int
    offset: int
    size_bytes: int


class ReadBegun(NamedTuple):
    """The log is read, up to this many bytes."""

    topic: str
    partition: int
    client_id: str | None
    correlation_id: int
    offset: int
    bytes_max: int


class FetchParked(NamedTuple):
    """There is too little data: the fetch waits for more, or for its time to end."""

    topic: str
    partition: int
    client_id: str | None
    correlation_id: int
    offset: int
    high_watermark: int
    wait_ms_max: int


class FetchAnswered(NamedTuple):
    """The response is sent, with this many bytes of the partition."""

    topic: str
    partition: int
    client_id: str | None
    correlation_id: int
    offset: int
    high_watermark: int
    size_bytes: int
    elapsed_us: int


class FetchAbandoned(NamedTuple):
    """The connection was closed while the fetch waited: there is no response."""

    topic: str
    partition: int
    client_id: str | None
    correlation_id: int
    offset: int
    elapsed_us: int


class ProduceReceived(NamedTuple):
    """A batch has arrived."""

    topic: str
    partition: int
    client_id: str | None
    correlation_id: int
    acks: int
    size_bytes: int
    timeout_ms: int


class ProduceAppended(NamedTuple):
    """The batch is in the leader's log, at these offsets."""

    topic: str
    partition: int
    client_id: str | None
    correlation_id: int
    first_offset: int
    last_offset: int


class ProduceWaiting(NamedTuple):
    """With acks=all: the batch waits for these replicas, or, where none is named, for a large enough ISR."""

    topic: str
    partition: int
    client_id: str | None
    correlation_id: int
    last_offset: int
    high_watermark: int
    replicas: Replicas


class ProduceAcknowledged(NamedTuple):
    """The batch is as safe as requested, and the response is sent."""

    topic: str
    partition: int
    client_id: str | None
    correlation_id: int
    first_offset: int
    elapsed_us: int


class ProduceAbandoned(NamedTuple):
    """The connection was closed before the batch was acknowledged: the client gets no response, the batch stays."""

    topic: str
    partition: int
    client_id: str | None
    correlation_id: int
    elapsed_us: int


class ProduceForwarded(NamedTuple):
    """The batch is forwarded to the leader, whose response this broker returns."""

    topic: str
    partition: int
    client_id: str | None
    correlation_id: int
    leader: int


class RequestRefused(NamedTuple):
    """The response has an error, and perhaps the current leader."""

    topic: str | None
    partition: int | None
    client_id: str | None
    correlation_id: int
    api: str
    error: str
    leader: int
    message: str | None


class WatermarkAdvanced(NamedTuple):
    """The high watermark has moved, because of this broker's log end (``by``); -1: because of the ISR."""

    topic: str
    partition: int
    from_offset: int
    to_offset: int
    by: int


class WatermarkHeld(NamedTuple):
    """Records wait to be committed, and the smallest log end of the ISR is not above the high watermark.

    ``replicas`` are those with the smallest log end; none, where too few are in sync.
    """

    topic: str
    partition: int
    candidate: int
    high_watermark: int
    log_end: int
    by: int
    replicas: Replicas


class IsrChanged(NamedTuple):
    """The ISR has changed, as its leader sees it."""

    topic: str
    partition: int
    was: Replicas
    replicas: Replicas
    leader_epoch: int


class LeaderChanged(NamedTuple):
    """A broker with a replica learns of another leader, or of a new leader epoch."""

    topic: str
    partition: int
    leader_before: int
    leader: int
    leader_epoch: int


class Truncated(NamedTuple):
    """A follower has truncated its log, or started it again, because the leader's log differs."""

    topic: str
    partition: int
    from_offset: int
    to_offset: int
    leader: int
    leader_epoch: int


class GroupChanged(NamedTuple):
    """A group has changed its state; the partition is its partition of ``__consumer_offsets``."""

    topic: str
    partition: int
    group: str
    state_before: str
    state: str
    generation: int
    members: int


class EventsDropped(NamedTuple):
    """In files only: this many events were dropped before they could be written."""

    dropped: int


Event = (
    FetchStarted
    | WatermarkChecked
    | DataFound
    | ReadBegun
    | FetchParked
    | FetchAnswered
    | FetchAbandoned
    | ProduceReceived
    | ProduceAppended
    | ProduceWaiting
    | ProduceAcknowledged
    | ProduceAbandoned
    | ProduceForwarded
    | RequestRefused
    | WatermarkAdvanced
    | WatermarkHeld
    | IsrChanged
    | LeaderChanged
    | Truncated
    | GroupChanged
    | EventsDropped
)

EVENTS: Final[dict[type[Event], str]] = {
    FetchStarted: "fetch_started",
    WatermarkChecked: "watermark_checked",
    DataFound: "data_found",
    ReadBegun: "read_begun",
    FetchParked: "fetch_parked",
    FetchAnswered: "fetch_answered",
    FetchAbandoned: "fetch_abandoned",
    ProduceReceived: "produce_received",
    ProduceAppended: "produce_appended",
    ProduceWaiting: "produce_waiting",
    ProduceAcknowledged: "produce_acknowledged",
    ProduceAbandoned: "produce_abandoned",
    ProduceForwarded: "produce_forwarded",
    RequestRefused: "request_refused",
    WatermarkAdvanced: "watermark_advanced",
    WatermarkHeld: "watermark_held",
    IsrChanged: "isr_changed",
    LeaderChanged: "leader_changed",
    Truncated: "truncated",
    GroupChanged: "group_changed",
    EventsDropped: "events_dropped",
}
"""The events by their names, in the order of the documentation."""

Kind = Literal["int", "long", "string", "ints"]
"""32 bits, 64 bits, text, or a list of brokers."""


class TraceColumn(NamedTuple):
    """The meaning of a field in every event that has it."""

    kind: Kind
    meaning: str


COLUMNS: Final[dict[str, TraceColumn]] = {
    "node": TraceColumn("int", "the broker that emitted it"),
    "seq": TraceColumn("long", "its number on that broker, from 0 at each start, without gaps"),
    "at_ms": TraceColumn("long", "wall clock, milliseconds since 1970"),
    "at_us": TraceColumn("long", "wall clock, microseconds since 1970"),
    "steady_us": TraceColumn("long", "the steady clock of that broker's machine, in microseconds"),
    "event": TraceColumn("string", "its name"),
    "topic": TraceColumn("string", "the topic"),
    "partition": TraceColumn("int", "the partition"),
    "client_id": TraceColumn("string", "the client id of the request"),
    "correlation_id": TraceColumn("int", "the request's number on its connection"),
    "replica": TraceColumn("int", "the follower that fetches; -1 for a consumer"),
    "offset": TraceColumn("long", "the fetch offset"),
    "bytes_max": TraceColumn("int", "the largest size requested of the partition"),
    "bytes_min": TraceColumn("int", "the size that the whole fetch waits for"),
    "wait_ms_max": TraceColumn("int", "how long it may wait"),
    "high_watermark": TraceColumn("long", "the high watermark at that moment"),
    "gap": TraceColumn("long", "high watermark less offset"),
    "log_end": TraceColumn("long", "the log end offset at that moment"),
    "size_bytes": TraceColumn("long", "bytes of batches"),
    "elapsed_us": TraceColumn("long", "since the request was started, in microseconds"),
    "acks": TraceColumn("int", "of the produce request: 0, 1, or -1 for all"),
    "timeout_ms": TraceColumn("int", "the time-out of the produce request"),
    "first_offset": TraceColumn("long", "the first offset of the batch"),
    "last_offset": TraceColumn("long", "the last offset of the batch"),
    "replicas": TraceColumn("ints", "brokers: those waited for, those with the smallest log end, or the ISR"),
    "leader": TraceColumn("int", "the leader in the response or in the metadata; -1 for none"),
    "api": TraceColumn("string", "the API, as Kafka calls it"),
    "error": TraceColumn("string", "the error, as Kafka calls it"),
    "message": TraceColumn("string", "the reason in words, if there is one"),
    "from_offset": TraceColumn("long", "the offset before"),
    "to_offset": TraceColumn("long", "the offset now"),
    "by": TraceColumn("int", "the broker whose log end caused it; -1 where the ISR has changed"),
    "candidate": TraceColumn("long", "the smallest log end in the ISR"),
    "was": TraceColumn("ints", "the ISR before"),
    "leader_before": TraceColumn("int", "the leader before; -1 for none"),
    "leader_epoch": TraceColumn("int", "the epoch of the leader"),
    "group": TraceColumn("string", "the consumer group"),
    "state_before": TraceColumn("string", "the state before"),
    "state": TraceColumn("string", "the state now"),
    "generation": TraceColumn("int", "the group's generation"),
    "members": TraceColumn("int", "how many members it has"),
    "dropped": TraceColumn("long", "how many"),
}
"""Every field of every event, in the order of the columns in a file or table."""

EVERYWHERE: Final = ("node", "seq", "at_ms", "at_us", "steady_us", "event")
"""The fields before an event's own."""

assert all(set(kind._fields) <= set(COLUMNS) for kind in EVENTS), "a field of an event has no column"
