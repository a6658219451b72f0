"""What a trace can tell: the one place where its events are defined.

JSON, the files, the columns in Spark and the table in the documentation are made from these classes and from
``COLUMNS``. An event is a named tuple, because several are made per request; its name in the outside world is in
``EVENTS``. Who asked stands in the same four fields everywhere: ``topic``, ``partition``, ``client_id`` and
``correlation_id``.
"""

from typing import Final, Literal, NamedTuple

NOBODY: Final = -1
"""In place of a broker: a consumer where a follower is named, or no leader."""

Replicas = tuple[int, ...]


class FetchStarted(NamedTuple):
    """A fetch asks for a partition."""

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
    """The offset asked for is compared with the high watermark, at the start and whenever the fetch is woken."""

    topic: str
    partition: int
    client_id: str | None
    correlation_id: int
    offset: int
    high_watermark: int
    gap: int
    log_end: int


class DataFound(NamedTuple):
    """There are bytes that this reader may see, about so many."""

    topic: str
    partition: int
    client_id: str | None
    correlation_id: int
    offset: int
    size_bytes: int


class ReadBegun(NamedTuple):
    """The log is read, up to so many bytes."""

    topic: str
    partition: int
    client_id: str | None
    correlation_id: int
    offset: int
    bytes_max: int


class FetchParked(NamedTuple):
    """There is too little: the fetch waits for more, or for its time to end."""

    topic: str
    partition: int
    client_id: str | None
    correlation_id: int
    offset: int
    high_watermark: int
    wait_ms_max: int


class FetchAnswered(NamedTuple):
    """The answer leaves, with so many bytes of the partition."""

    topic: str
    partition: int
    client_id: str | None
    correlation_id: int
    offset: int
    high_watermark: int
    size_bytes: int
    elapsed_us: int


class FetchAbandoned(NamedTuple):
    """The connection was closed while the fetch waited: nobody is there to be answered."""

    topic: str
    partition: int
    client_id: str | None
    correlation_id: int
    offset: int
    elapsed_us: int


class ProduceReceived(NamedTuple):
    """A batch has come."""

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
    """With acks=all: the batch waits for these replicas, or, where none is named, for enough to be in sync."""

    topic: str
    partition: int
    client_id: str | None
    correlation_id: int
    last_offset: int
    high_watermark: int
    replicas: Replicas


class ProduceAcknowledged(NamedTuple):
    """The batch is as safe as was asked, and the client is told so."""

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
    """The batch is passed on to the leader; what that answers, this broker answers."""

    topic: str
    partition: int
    client_id: str | None
    correlation_id: int
    leader: int


class RequestRefused(NamedTuple):
    """The client is told an error, and where one is named, who leads."""

    topic: str | None
    partition: int | None
    client_id: str | None
    correlation_id: int
    api: str
    error: str
    leader: int
    message: str | None


class WatermarkAdvanced(NamedTuple):
    """The high watermark has moved, because of what this broker now holds (``by``); nobody: of the in-sync set."""

    topic: str
    partition: int
    from_offset: int
    to_offset: int
    by: int


class WatermarkHeld(NamedTuple):
    """Something happened, records wait to be committed, and the watermark's candidate is not above it.

    ``replicas`` are those that hold it there; none, where too few are in sync.
    """

    topic: str
    partition: int
    candidate: int
    high_watermark: int
    log_end: int
    by: int
    replicas: Replicas


class IsrChanged(NamedTuple):
    """The in-sync set is another one, as its leader sees it."""

    topic: str
    partition: int
    was: Replicas
    replicas: Replicas
    leader_epoch: int


class LeaderChanged(NamedTuple):
    """A broker that keeps a replica hears of another leader, or of a new epoch."""

    topic: str
    partition: int
    leader_before: int
    leader: int
    leader_epoch: int


class Truncated(NamedTuple):
    """A follower has cut its log, or begun it anew, because its leader's goes on differently."""

    topic: str
    partition: int
    from_offset: int
    to_offset: int
    leader: int
    leader_epoch: int


class GroupChanged(NamedTuple):
    """A group has come into another state; the partition is the one of ``__consumer_offsets`` that keeps it."""

    topic: str
    partition: int
    group: str
    state_before: str
    state: str
    generation: int
    members: int


class EventsDropped(NamedTuple):
    """In files only: so many events were gone before they could be written down."""

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
"""The events by their names, in the order in which they are documented."""

Kind = Literal["int", "long", "string", "ints"]
"""32 bits, 64 bits, text, or a list of brokers."""


class TraceColumn(NamedTuple):
    """What one name means in every event that has it."""

    kind: Kind
    meaning: str


COLUMNS: Final[dict[str, TraceColumn]] = {
    "node": TraceColumn("int", "the broker that tells it"),
    "seq": TraceColumn("long", "its number on that broker, from 0 at each start, without gaps"),
    "at_ms": TraceColumn("long", "wall clock, milliseconds since 1970"),
    "at_us": TraceColumn("long", "wall clock, microseconds since 1970"),
    "steady_us": TraceColumn("long", "a clock of that broker's machine that nobody sets, in microseconds"),
    "event": TraceColumn("string", "its name"),
    "topic": TraceColumn("string", "the topic"),
    "partition": TraceColumn("int", "the partition"),
    "client_id": TraceColumn("string", "who asks, by the name that the client gave itself"),
    "correlation_id": TraceColumn("int", "the request's number on its connection"),
    "replica": TraceColumn("int", "the follower that fetches; -1 for a consumer"),
    "offset": TraceColumn("long", "the offset that is asked for"),
    "bytes_max": TraceColumn("int", "the most that is wanted of the partition"),
    "bytes_min": TraceColumn("int", "what the whole fetch waits for"),
    "wait_ms_max": TraceColumn("int", "how long it may wait"),
    "high_watermark": TraceColumn("long", "the high watermark at that moment"),
    "gap": TraceColumn("long", "high watermark less offset"),
    "log_end": TraceColumn("long", "the log end offset at that moment"),
    "size_bytes": TraceColumn("long", "bytes of batches"),
    "elapsed_us": TraceColumn("long", "since the request was taken up, in microseconds"),
    "acks": TraceColumn("int", "as the producer asked: 0, 1, or -1 for all"),
    "timeout_ms": TraceColumn("int", "how long the producer lets the broker wait"),
    "first_offset": TraceColumn("long", "the first offset of the batch"),
    "last_offset": TraceColumn("long", "the last offset of the batch"),
    "replicas": TraceColumn("ints", "brokers: those waited for, those that hold the watermark, or the in-sync set"),
    "leader": TraceColumn("int", "who leads, as the client or this broker is told; -1 for nobody"),
    "api": TraceColumn("string", "the API, as Kafka calls it"),
    "error": TraceColumn("string", "the error, as Kafka calls it"),
    "message": TraceColumn("string", "the reason in words, where there is one"),
    "from_offset": TraceColumn("long", "where it was"),
    "to_offset": TraceColumn("long", "where it is now"),
    "by": TraceColumn("int", "the broker whose log end it follows from; -1 where the in-sync set has changed"),
    "candidate": TraceColumn("long", "the smallest log end in the in-sync set"),
    "was": TraceColumn("ints", "the in-sync set before"),
    "leader_before": TraceColumn("int", "who led before; -1 for nobody"),
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
"""What stands before an event's own fields."""

assert all(set(kind._fields) <= set(COLUMNS) for kind in EVENTS), "a field of an event has no column"
