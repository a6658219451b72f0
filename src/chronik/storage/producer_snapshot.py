"""Snapshots of the producer state, in two formats.

``<offset>.snapshot`` is Kafka's format, which its tools read; it has the last batch of each producer.
``<offset>.producers`` is Chronik's and has all of ``ProducerState``, so that the last five batches are known after a
clean restart without reading the log. Loading prefers Chronik's; a damaged or missing file raises
``DamagedSnapshotError``, and the batch headers of the log replace it.

Both formats hold the state when the log ended at <offset>. A log that opens loads the newest good snapshot and replays
the batch headers behind it.
"""

from collections import deque
from collections.abc import Iterable, Iterator
from struct import Struct
from struct import error as StructError  # noqa: N812 - it is an exception
from typing import Any, Final

from crc32c import crc32c

from chronik.storage.disk import Disk
from chronik.storage.producer_state import BATCHES_KEPT, ProducedBatch, ProducerEntry, ProducerState
from chronik.storage.scan import walk_headers
from chronik.storage.segment import Segment, file_stem

KAFKA_SUFFIX: Final = ".snapshot"
FULL_SUFFIX: Final = ".producers"

_KAFKA_VERSION: Final = 1
_KAFKA_HEAD: Final = Struct(">hI")
_COUNT: Final = Struct(">i")
_KAFKA_ENTRY: Final = Struct(">qhiqiqiq")
_NO_COORDINATOR_EPOCH: Final = -1
_NO_TRANSACTION: Final = -1

_FULL_MAGIC: Final = b"CHRP"
_FULL_VERSION: Final = 1
_FULL_HEAD: Final = Struct(">4sHI")
_FULL_ENTRY: Final = Struct(">qhqiB")
_FULL_BATCH: Final = Struct(">iiqqq")


class DamagedSnapshotError(ValueError):
    """A missing or damaged snapshot."""


def encode_kafka(entries: Iterable[ProducerEntry]) -> bytes:
    """Encode Kafka's format."""
    known = list(entries)
    body = _COUNT.pack(len(known)) + b"".join(_kafka_entry(entry) for entry in known)
    return _KAFKA_HEAD.pack(_KAFKA_VERSION, crc32c(body)) + body


def _kafka_entry(entry: ProducerEntry) -> bytes:
    last = entry.batches[-1]
    return _KAFKA_ENTRY.pack(
        entry.producer_id,
        entry.epoch,
        last.last_sequence,
        last.last_offset,
        last.last_offset - last.base_offset,
        entry.last_timestamp,
        _NO_COORDINATOR_EPOCH,
        _NO_TRANSACTION,
    )


def decode_kafka(data: bytes) -> list[ProducerEntry]:
    """Decode Kafka's format: one batch per producer."""
    version, crc = _unpack(_KAFKA_HEAD, data, 0)
    if version != _KAFKA_VERSION:
        raise DamagedSnapshotError(f"version {version} of a producer snapshot is not known")
    body = data[_KAFKA_HEAD.size :]
    _check_crc(body, crc)
    (count,) = _unpack(_COUNT, body, 0)
    if _COUNT.size + count * _KAFKA_ENTRY.size != len(body):
        raise DamagedSnapshotError(f"{len(body)} bytes are not {count} producers")
    return [_entry_of_kafka(*fields) for fields in _KAFKA_ENTRY.iter_unpack(body[_COUNT.size :])]


def _entry_of_kafka(
    producer_id: int,
    epoch: int,
    last_sequence: int,
    last_offset: int,
    offset_delta: int,
    timestamp: int,
    _coordinator_epoch: int,
    _transaction_start: int,
) -> ProducerEntry:
    base_sequence = (last_sequence - offset_delta) & 0x7FFFFFFF if last_sequence >= 0 else last_sequence
    batch = ProducedBatch(base_sequence, last_sequence, last_offset - offset_delta, last_offset, timestamp)
    return ProducerEntry(producer_id, epoch, deque([batch], maxlen=BATCHES_KEPT), timestamp, base_sequence)


def encode_full(entries: Iterable[ProducerEntry]) -> bytes:
    """Encode Chronik's format, with all remembered batches."""
    known = list(entries)
    body = _COUNT.pack(len(known)) + b"".join(part for entry in known for part in _full_parts(entry))
    return _FULL_HEAD.pack(_FULL_MAGIC, _FULL_VERSION, crc32c(body)) + body


def _full_parts(entry: ProducerEntry) -> Iterator[bytes]:
    yield _FULL_ENTRY.pack(entry.producer_id, entry.epoch, entry.last_timestamp, entry.known_from, len(entry.batches))
    for batch in entry.batches:
        yield _FULL_BATCH.pack(*batch)


def decode_full(data: bytes) -> list[ProducerEntry]:
    """Decode Chronik's format."""
    magic, version, crc = _unpack(_FULL_HEAD, data, 0)
    if (magic, version) != (_FULL_MAGIC, _FULL_VERSION):
        raise DamagedSnapshotError(f"no producer state of version {_FULL_VERSION}: it begins with {data[:6]!r}")
    body = data[_FULL_HEAD.size :]
    _check_crc(body, crc)
    (count,) = _unpack(_COUNT, body, 0)
    entries, position = [], _COUNT.size
    for _ in range(count):
        entry, position = _full_entry(body, position)
        entries.append(entry)
    if position != len(body):
        raise DamagedSnapshotError(f"{len(body) - position} bytes follow the last producer")
    return entries


def _full_entry(body: bytes, position: int) -> tuple[ProducerEntry, int]:
    producer_id, epoch, last_timestamp, known_from, count = _unpack(_FULL_ENTRY, body, position)
    position += _FULL_ENTRY.size
    if not 0 < count <= BATCHES_KEPT:
        raise DamagedSnapshotError(f"producer {producer_id} with {count} batches")
    batches: deque[ProducedBatch] = deque(maxlen=BATCHES_KEPT)
    for _ in range(count):
        batches.append(ProducedBatch._make(_unpack(_FULL_BATCH, body, position)))
        position += _FULL_BATCH.size
    return ProducerEntry(producer_id, epoch, batches, last_timestamp, known_from), position


def decode_best(full: bytes | None, kafka: bytes | None) -> list[ProducerEntry]:
    """Decode Chronik's format, or Kafka's if that is missing or damaged; raise if neither is usable."""
    reasons = []
    for form, data, decode in (("full", full, decode_full), ("Kafka's", kafka, decode_kafka)):
        if data is None:
            reasons.append(f"the {form} form is missing")
            continue
        try:
            return decode(data)
        except DamagedSnapshotError as error:
            reasons.append(f"the {form} form is damaged ({error})")
    raise DamagedSnapshotError("; ".join(reasons))


def _check_crc(body: bytes, crc: int) -> None:
    if crc32c(body) != crc:
        raise DamagedSnapshotError("the CRC of the producer snapshot does not match its bytes")


def _unpack(layout: Struct, data: bytes, position: int) -> tuple[Any, ...]:
    try:
        return layout.unpack_from(data, position)
    except StructError as error:
        raise DamagedSnapshotError(f"the producer snapshot ends early: {error}") from error


def snapshot_images(directory: str, offset: int, producers: ProducerState) -> list[tuple[str, bytes]]:
    """Encode both snapshot files of the state when the log ended at an offset."""
    stem = f"{directory}/{file_stem(offset)}"
    return [
        (stem + KAFKA_SUFFIX, encode_kafka(producers.entries())),
        (stem + FULL_SUFFIX, encode_full(producers.entries())),
    ]


def snapshot_offsets(disk: Disk, directory: str) -> list[int]:
    """Return the offsets of all snapshot files, rising."""
    names = disk.list_directory(directory)
    suffixes = (KAFKA_SUFFIX, FULL_SUFFIX)
    return sorted({int(name[:20]) for name in names if name.endswith(suffixes) and name[:20].isdigit()})


def load_producers(
    disk: Disk, directory: str, segments: list[Segment], log_end_offset: int, rebuilt: list[str]
) -> ProducerState:
    """Restore the producers of a log; ``rebuilt`` gets the snapshots that could not be used."""
    state = ProducerState()
    usable = [offset for offset in snapshot_offsets(disk, directory) if offset <= log_end_offset]
    replay_from = _load_newest(disk, directory, usable, state, rebuilt)
    for segment, behind in zip(segments, [*(later.base_offset for later in segments[1:]), None], strict=True):
        if behind is None or behind > replay_from:
            _replay(segment, state, replay_from)
    if usable and replay_from < usable[-1]:
        _add_unknown(state, _read_kafka(disk, directory, usable[-1]))
    return state


def remove_snapshots(disk: Disk, directory: str, offsets: Iterable[int]) -> None:
    """Remove the snapshots of some offsets."""
    for offset in offsets:
        for suffix in (KAFKA_SUFFIX, FULL_SUFFIX):
            disk.unlink(f"{directory}/{file_stem(offset)}{suffix}")


def remove_stray_snapshots(disk: Disk, directory: str, segments: list[Segment], log_end_offset: int) -> None:
    """Remove snapshots that belong to no segment, except the newest, and those beyond the log end."""
    bases = {segment.base_offset for segment in segments}
    offsets = snapshot_offsets(disk, directory)
    usable = [offset for offset in offsets if offset <= log_end_offset]
    stray = [offset for offset in usable[:-1] if offset not in bases]
    remove_snapshots(disk, directory, [*stray, *(offset for offset in offsets if offset > log_end_offset)])


def _load_newest(disk: Disk, directory: str, offsets: list[int], state: ProducerState, rebuilt: list[str]) -> int:
    """Load the newest complete snapshot and return its offset; 0 if there is none.

    Kafka's format is not enough: it has one batch per producer, and a retry may be any of five.
    """
    for offset in reversed(offsets):
        data = _read(disk, f"{directory}/{file_stem(offset)}{FULL_SUFFIX}")
        try:
            if data is None:
                raise DamagedSnapshotError("it is missing")
            state.load(decode_full(data))
            return offset
        except DamagedSnapshotError as error:
            rebuilt.append(f"replayed headers instead of the producer state at offset {offset}: {error}")
    return 0


def _read_kafka(disk: Disk, directory: str, offset: int) -> list[ProducerEntry]:
    data = _read(disk, f"{directory}/{file_stem(offset)}{KAFKA_SUFFIX}")
    try:
        return decode_kafka(data) if data is not None else []
    except DamagedSnapshotError:
        return []


def _add_unknown(state: ProducerState, entries: list[ProducerEntry]) -> None:
    """Add producers whose batches are no longer in the log, so that only a snapshot has them."""
    known = {entry.producer_id for entry in state.entries()}
    state.load([*state.entries(), *(entry for entry in entries if entry.producer_id not in known)])


def _read(disk: Disk, path: str) -> bytes | None:
    try:
        return disk.read_bytes(path)
    except FileNotFoundError:
        return None


def _replay(segment: Segment, state: ProducerState, replay_from: int) -> None:
    """Replay the headers of a segment from an offset on; an index lookup saves reading the rest."""
    entry = segment.offset_index.lookup(max(replay_from - segment.base_offset, 0))
    for _, header in walk_headers(segment.file, entry.position if entry else 0, segment.written_bytes):
        if header.producer_id >= 0 and header.base_offset >= replay_from:
            state.replay(header, header.base_offset, header.max_timestamp)
