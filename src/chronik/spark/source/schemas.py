"""The Arrow schemas of the views, with the types that Spark expects: no large and no dictionary types.

The records have the schema of Spark's Kafka source. Offsets named ``end…`` are exclusive, ``last…`` inclusive.
"""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final

import pyarrow as pa

from chronik.spark.options.parsers import View

TIMESTAMP: Final = pa.timestamp("us", "UTC")
HEADER: Final = pa.struct([pa.field("key", pa.string()), pa.field("value", pa.binary())])
HEADERS: Final = pa.list_(pa.field("element", HEADER))

_PLACE: Final = (pa.field("topic", pa.string()), pa.field("partition", pa.int32()))

_RECORDS: Final = (
    pa.field("key", pa.binary()),
    pa.field("value", pa.binary()),
    *_PLACE,
    pa.field("offset", pa.int64()),
    pa.field("timestamp", TIMESTAMP),
    pa.field("timestampType", pa.int32()),
    pa.field("headers", HEADERS),
)
_BATCHES: Final = (
    *_PLACE,
    pa.field("baseOffset", pa.int64()),
    pa.field("lastOffset", pa.int64()),
    pa.field("recordCount", pa.int32()),
    pa.field("baseTimestamp", TIMESTAMP),
    pa.field("maxTimestamp", TIMESTAMP),
    pa.field("timestampType", pa.int32()),
    pa.field("leaderEpoch", pa.int32()),
    pa.field("producerId", pa.int64()),
    pa.field("producerEpoch", pa.int32()),
    pa.field("baseSequence", pa.int32()),
    pa.field("codec", pa.string()),
    pa.field("isTransactional", pa.bool_()),
    pa.field("isControl", pa.bool_()),
    pa.field("sizeBytes", pa.int32()),
)
_RANGES: Final = (
    *_PLACE,
    pa.field("startOffset", pa.int64()),
    pa.field("endOffset", pa.int64()),
    pa.field("recordCount", pa.int64()),
    pa.field("controlCount", pa.int64()),
    pa.field("abortedCount", pa.int64()),
    pa.field("batchCount", pa.int64()),
    pa.field("sizeBytes", pa.int64()),
    pa.field("maxTimestamp", TIMESTAMP),
)
_PROBLEMS: Final = (
    *_PLACE,
    pa.field("startOffset", pa.int64()),
    pa.field("endOffset", pa.int64()),
    pa.field("kind", pa.string()),
    pa.field("message", pa.string()),
    pa.field("file", pa.string()),
    pa.field("position", pa.int64()),
    pa.field("sizeBytes", pa.int64()),
)

FIELDS: Final[Mapping[View, tuple[pa.Field, ...]]] = MappingProxyType(
    {View.RECORDS: _RECORDS, View.BATCHES: _BATCHES, View.RANGES: _RANGES, View.PROBLEMS: _PROBLEMS}
)
"""The fields of each view; ``headers`` of records only on request."""


def column_names(view: View, *, include_headers: bool = False) -> tuple[str, ...]:
    """Return the columns of a view, in order."""
    return tuple(field.name for field in FIELDS[view] if include_headers or field.name != "headers")


def arrow_schema(view: View, columns: Sequence[str] = (), include_headers: bool = False) -> pa.Schema:
    """Return the schema of these columns in their order, or of all columns."""
    fields = {field.name: field for field in FIELDS[view]}
    wanted = columns or column_names(view, include_headers=include_headers)
    return pa.schema([fields[name] for name in wanted])
