"""How the console consumer prints a record: the properties and output of Kafka's DefaultMessageFormatter."""

import struct
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias
from uuid import UUID

from chronik.cli.kafka_scripts.flags import UsageError
from chronik.client.fetched import FetchedRecords
from chronik.records.batch import BatchHeader
from chronik.records.iterate import StoredRecord

Readable: TypeAlias = Callable[[bytes], bytes]
Field: TypeAlias = Callable[[int, BatchHeader, StoredRecord], bytes]

_PRINTED: Final = ("timestamp", "partition", "offset", "epoch", "headers", "key", "value")
_OTHERS: Final = (
    "key.separator",
    "line.separator",
    "headers.separator",
    "null.literal",
    "key.deserializer",
    "value.deserializer",
    "headers.deserializer",
)


def _number(form: str) -> Readable:
    width = struct.calcsize(form)

    def read(data: bytes) -> bytes:
        if len(data) != width:
            raise ValueError(f"{len(data)} bytes came where the deserializer takes {width}")
        return str(struct.unpack(form, data)[0]).encode()

    return read


DESERIALIZERS: Final[Mapping[str, Readable]] = {
    "StringDeserializer": bytes,
    "ByteArrayDeserializer": bytes,
    "BytesDeserializer": bytes,
    "ShortDeserializer": _number(">h"),
    "IntegerDeserializer": _number(">i"),
    "LongDeserializer": _number(">q"),
    "FloatDeserializer": _number(">f"),
    "DoubleDeserializer": _number(">d"),
    "BooleanDeserializer": lambda data: b"true" if data == b"\x01" else b"false",
    "UUIDDeserializer": lambda data: str(UUID(data.decode())).encode(),
}


@dataclass(frozen=True, slots=True)
class ConsoleFormat:
    """The printed fields of a record, their separator, and the end of a line."""

    fields: tuple[Field, ...]
    separator: bytes
    end: bytes

    def render_all(self, fetched: FetchedRecords) -> Iterator[tuple[int, bytes | ValueError]]:
        """Return each record's offset, and what is printed of it or why a deserializer did not take it."""
        partition = fetched.topic_partition.partition
        headers = [header for _, header in fetched.batches()]
        position = 0
        for record in fetched.records():
            while record.offset > headers[position].last_offset:
                position += 1
            yield record.offset, self._rendered(partition, headers[position], record)

    def _rendered(self, partition: int, batch: BatchHeader, record: StoredRecord) -> bytes | ValueError:
        try:
            return self.separator.join([field(partition, batch, record) for field in self.fields]) + self.end
        except ValueError as error:
            return error


def console_format(properties: Mapping[str, str]) -> ConsoleFormat:
    """Make the format of the properties that were given."""
    known = (*(f"print.{name}" for name in _PRINTED), *_OTHERS)
    unknown = sorted(name for name in properties if name not in known)
    if unknown:
        raise UsageError(f"unknown formatter property {', '.join(unknown)}: known are {', '.join(known)}")
    fields = _fields(properties)
    printed = [name for name in _PRINTED if _is_printed(properties, name)]
    separator = properties.get("key.separator", "\t").encode()
    return ConsoleFormat(
        tuple(fields[name] for name in printed), separator, properties.get("line.separator", "\n").encode()
    )


def _is_printed(properties: Mapping[str, str], name: str) -> bool:
    default = "true" if name == "value" else "false"
    return properties.get(f"print.{name}", default).strip().lower() == "true"


def _fields(properties: Mapping[str, str]) -> dict[str, Field]:
    null = properties.get("null.literal", "null").encode()
    key, value, header = (_deserializer(properties, f"{what}.deserializer") for what in ("key", "value", "headers"))
    between = properties.get("headers.separator", ",").encode()

    def headers(record: StoredRecord) -> bytes:
        pairs = (name.encode() + b":" + (null if data is None else header(data)) for name, data in record.headers)
        return between.join(pairs) if record.headers else b"NO_HEADERS"

    return {
        "timestamp": lambda _, batch, record: _time_text(batch, record),
        "partition": lambda partition, _, __: b"Partition:%d" % partition,
        "offset": lambda _, __, record: b"Offset:%d" % record.offset,
        "epoch": lambda _, batch, __: b"Epoch:%d" % batch.partition_leader_epoch,
        "headers": lambda _, __, record: headers(record),
        "key": lambda _, __, record: null if record.key is None else key(record.key),
        "value": lambda _, __, record: null if record.value is None else value(record.value),
    }


def _deserializer(properties: Mapping[str, str], name: str) -> Readable:
    wanted = properties.get(name, "StringDeserializer")
    found = DESERIALIZERS.get(wanted.removeprefix("org.apache.kafka.common.serialization."))
    if found is None:
        raise UsageError(f"{name}={wanted} is not supported: known are {', '.join(DESERIALIZERS)}")
    return found


def _time_text(batch: BatchHeader, record: StoredRecord) -> bytes:
    if record.timestamp < 0:
        return b"NO_TIMESTAMP"
    return b"%s:%d" % (b"LogAppendTime" if batch.is_log_append_time else b"CreateTime", record.timestamp)
