"""The tables of an audit: what is recorded during a run, and what comes out of it.

Times are microseconds since 1970 by the wall clock, unless a name says ``mono``. -1 is an unknown value, in
offsets, partitions and times alike.
"""

from enum import IntEnum, StrEnum
from typing import Final

import pyarrow as pa

UNKNOWN_NUMBER: Final = -1
"""An unknown offset, partition, node, epoch or time."""

AS_CLIENTS_SEE_IT: Final = -1
"""The node in STORED when the leader was read as a client reads it: up to the served watermark."""


class SendOutcome(IntEnum):
    """What a producer knows of a send."""

    ACKED = 0
    REFUSED = 1
    """Proved never appended."""
    UNKNOWN = 2
    """A time-out, any other error, acks=0, or a ledger that ended: it may be in the log or not."""
    NOT_SENT = 3
    """The client never accepted it."""


class EventKind(StrEnum):
    """What a consumer's ledger notes beside records."""

    START = "start"
    ASSIGNED = "assigned"
    REVOKED = "revoked"
    SEEK = "seek"
    POLL = "poll"
    EMPTY = "empty"
    POSITION = "position"
    COMMITTED = "committed"
    ERROR = "error"
    END = "end"


GROUP: Final = pa.dictionary(pa.int32(), pa.string())
"""Names that repeat in every row."""

_SPAN: Final = pa.struct([("begin_us", pa.int64()), ("end_us", pa.int64()), ("text", pa.string())])
_ONSET: Final = pa.struct([("partition", pa.int32()), ("since_us", pa.int64()), ("until_us", pa.int64())])
_GAP: Final = pa.struct([("first_offset", pa.int64()), ("end_offset", pa.int64()), ("text", pa.string())])


def _table(*fields: tuple[str, pa.DataType]) -> pa.Schema:
    return pa.schema([pa.field(name, kind, nullable=False) for name, kind in fields])


def narrow(schema: pa.Schema, *names: str) -> pa.Schema:
    """Return some columns of a schema, in its order."""
    return pa.schema([field for field in schema if field.name in names])


SENDS: Final = _table(
    ("producer", pa.uint32()),
    ("incarnation", pa.uint32()),
    ("sequence", pa.uint64()),
    ("key_hash", pa.uint64()),  # 0: no key
    ("is_null", pa.bool_()),
    ("sent_us", pa.int64()),
    ("done_us", pa.int64()),
    ("partition", pa.int32()),
    ("outcome", pa.int8()),
    ("offset", pa.int64()),
    ("error", pa.string()),
)
"""One row for each message that a producer was given, written when its outcome is known."""

RESERVED: Final = _table(
    ("producer", pa.uint32()),
    ("incarnation", pa.uint32()),
    ("first_sequence", pa.uint64()),
    ("end_sequence", pa.uint64()),
    ("is_closed", pa.bool_()),
)
"""Blocks of sequences that were taken before use. A closed one ends where the producer stopped, so that what lies
behind it was never begun; in an open one, what has no row in SENDS is UNKNOWN."""

DELIVERED: Final = _table(
    ("group", GROUP),
    ("consumer", pa.uint32()),
    ("generation", pa.int32()),
    ("poll", pa.uint64()),
    ("received_us", pa.int64()),
    ("partition", pa.int32()),
    ("offset", pa.int64()),
    ("timestamp_ms", pa.int64()),
    ("is_ours", pa.bool_()),
    ("run", pa.uint64()),
    ("producer", pa.uint32()),
    ("sequence", pa.uint64()),
    ("sent_us", pa.int64()),
    ("is_intact", pa.bool_()),
)
"""One row for each record that a consumer was handed. ``is_ours``: it carries a readable id, of whatever run."""

EVENTS: Final = _table(
    ("consumer", pa.uint32()),
    ("group", GROUP),
    ("at_us", pa.int64()),
    ("kind", pa.string()),
    ("partition", pa.int32()),
    ("offset", pa.int64()),
    ("generation", pa.int32()),
    ("count", pa.int32()),
    ("text", pa.string()),
)
"""What consumers did, by ``EventKind``. The text of ``start`` is JSON: reset, isolation, mode (assign or subscribe),
partitions (of an assignment)."""

STORED: Final = _table(
    ("node", pa.int32()),
    ("partition", pa.int32()),
    ("offset", pa.int64()),
    ("timestamp_ms", pa.int64()),
    ("is_ours", pa.bool_()),
    ("run", pa.uint64()),
    ("producer", pa.uint32()),
    ("sequence", pa.uint64()),
    ("sent_us", pa.int64()),
    ("is_intact", pa.bool_()),
    ("key_hash", pa.uint64()),
    ("is_null", pa.bool_()),
    ("leader_epoch", pa.int32()),
    ("producer_id", pa.int64()),
    ("producer_epoch", pa.int16()),
    ("base_sequence", pa.int32()),
    ("is_control", pa.bool_()),
    ("is_aborted", pa.bool_()),
)
"""One row for each record that a replica holds, control records too, aborted ones too."""

OBSERVED: Final = _table(
    ("at_us", pa.int64()),
    ("mono_us", pa.int64()),
    ("node", pa.int32()),
    ("partition", pa.int32()),
    ("log_start", pa.int64()),
    ("high_watermark", pa.int64()),
    ("last_stable", pa.int64()),
    ("log_end", pa.int64()),
    ("leader", pa.int32()),
    ("leader_epoch", pa.int32()),
    ("isr", pa.list_(pa.int32())),
    ("error", pa.string()),
)
"""What the observer saw of each replica, every 200 ms."""

EPOCHS: Final = _table(
    ("partition", pa.int32()),
    ("leader_epoch", pa.int32()),
    ("start_offset", pa.int64()),
    ("end_offset", pa.int64()),
)
"""The history of leaders at the end of the run."""

TAP: Final = _table(
    ("at_us", pa.int64()),
    ("mono_us", pa.int64()),
    ("connection", pa.uint32()),
    ("node", pa.int32()),
    ("client_id", pa.string()),
    ("api", pa.string()),
    ("version", pa.int16()),
    ("correlation", pa.int32()),
    ("direction", pa.string()),
    ("partition", pa.int32()),
    ("offset", pa.int64()),
    ("count", pa.int32()),
    ("bytes", pa.int64()),
    ("error", pa.string()),
    ("high_watermark", pa.int64()),
    ("log_start", pa.int64()),
    ("leader", pa.int32()),
    ("leader_epoch", pa.int32()),
    ("text", pa.string()),
)
"""What went over the wire: one row per partition of a request or an answer."""

VERDICTS: Final = _table(
    ("group", pa.string()),
    ("verdict", pa.string()),
    ("count", pa.int64()),
    ("allowed_count", pa.int64()),
)
"""How many messages each group has of each verdict; with the flags, named beside the verdicts with a leading ``+``,
and the records that belong to no message (``PHANTOM``, ``FOREIGN``) with a leading ``*``. Only the rows without a mark
add up to the messages sent."""

MESSAGES: Final = _table(
    ("group", pa.string()),
    ("run", pa.uint64()),
    ("producer", pa.uint32()),
    ("sequence", pa.uint64()),
    ("verdict", pa.string()),
    ("flags", pa.list_(pa.string())),
    ("is_allowed", pa.bool_()),
    ("partition", pa.int32()),
    ("offset", pa.int64()),
    ("acked_partition", pa.int32()),
    ("acked_offset", pa.int64()),
    ("why", pa.string()),
)
"""Every message that is not plainly DELIVERED, and every phantom."""

PARTITIONS: Final = _table(
    ("group", pa.string()),
    ("partition", pa.int32()),
    ("sent", pa.int64()),
    ("acked", pa.int64()),
    ("stored", pa.int64()),
    ("delivered", pa.int64()),
    ("deviation", pa.float64()),
    ("first_offset", pa.int64()),
    ("end_offset", pa.int64()),
    ("gaps", pa.list_(_GAP)),
    ("duplicates", pa.int64()),
    ("reordered", pa.int64()),
    ("stalls", pa.list_(_SPAN)),
    ("first_us", pa.int64()),
    ("last_us", pa.int64()),
    ("rate", pa.float64()),
    ("plateaus", pa.list_(_SPAN)),
    ("advances", pa.int64()),
    ("messages_per_advance", pa.float64()),
    ("latency_p50_us", pa.int64()),
    ("latency_p95_us", pa.int64()),
    ("latency_p99_us", pa.int64()),
    ("latency_max_us", pa.int64()),
)
"""One row per group and partition. ``deviation`` is delivered against the mean of the partitions, as a share."""

FINDINGS: Final = _table(
    ("kind", pa.string()),
    ("is_root", pa.bool_()),
    ("partition", pa.int32()),
    ("since_us", pa.int64()),
    ("until_us", pa.int64()),
    ("is_allowed", pa.bool_()),
    ("sentence", pa.string()),
    ("evidence", pa.list_(pa.string())),
    ("remedy", pa.string()),
    ("remaining", pa.list_(pa.string())),
    ("needs", pa.string()),
    ("onsets", pa.list_(_ONSET)),
)
"""What was wrong: causes and their consequences. ``partition`` is -1 where several are concerned; ``onsets`` then has
each of them."""
