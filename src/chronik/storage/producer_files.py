"""Where a log keeps its producer state, and how it is known again: the newest good snapshot, then batch headers."""

from collections.abc import Iterable

from chronik.storage.disk import Disk
from chronik.storage.producer_snapshot import (
    FULL_SUFFIX,
    KAFKA_SUFFIX,
    DamagedSnapshotError,
    decode_full,
    decode_kafka,
    encode_full,
    encode_kafka,
)
from chronik.storage.producer_state import ProducerEntry, ProducerState
from chronik.storage.scan import walk_headers
from chronik.storage.segment import Segment, file_stem


def snapshot_images(directory: str, offset: int, producers: ProducerState) -> list[tuple[str, bytes]]:
    """Spell both snapshot files of the state when the log ended at an offset."""
    stem = f"{directory}/{file_stem(offset)}"
    return [
        (stem + KAFKA_SUFFIX, encode_kafka(producers.entries())),
        (stem + FULL_SUFFIX, encode_full(producers.entries())),
    ]


def snapshot_offsets(disk: Disk, directory: str) -> list[int]:
    """Give the offsets for which there are snapshot files, rising."""
    names = disk.list_directory(directory)
    suffixes = (KAFKA_SUFFIX, FULL_SUFFIX)
    return sorted({int(name[:20]) for name in names if name.endswith(suffixes) and name[:20].isdigit()})


def load_producers(
    disk: Disk, directory: str, segments: list[Segment], log_end_offset: int, rebuilt: list[str]
) -> ProducerState:
    """Restore the producers of a log, noting in ``rebuilt`` which snapshots could not be used."""
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
    """Remove snapshots that belong to no segment, but for the newest, and those beyond the log's end."""
    bases = {segment.base_offset for segment in segments}
    offsets = snapshot_offsets(disk, directory)
    usable = [offset for offset in offsets if offset <= log_end_offset]
    stray = [offset for offset in usable[:-1] if offset not in bases]
    remove_snapshots(disk, directory, [*stray, *(offset for offset in offsets if offset > log_end_offset)])


def _load_newest(disk: Disk, directory: str, offsets: list[int], state: ProducerState, rebuilt: list[str]) -> int:
    """Load the newest snapshot that holds all that is remembered, and give its offset; 0 if there is none.

    Kafka's form will not do to start from: it knows one batch of each producer, and a retry may be of any of five.
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
    """Add producers whose batches are no longer in the log, so that only a snapshot knows them."""
    known = {entry.producer_id for entry in state.entries()}
    state.load([*state.entries(), *(entry for entry in entries if entry.producer_id not in known)])


def _read(disk: Disk, path: str) -> bytes | None:
    try:
        return disk.read_bytes(path)
    except FileNotFoundError:
        return None


def _replay(segment: Segment, state: ProducerState, replay_from: int) -> None:
    """Replay the headers of a segment from an offset on; a lookup in its index saves reading the rest."""
    entry = segment.offset_index.lookup(max(replay_from - segment.base_offset, 0))
    for _, header in walk_headers(segment.file, entry.position if entry else 0, segment.written_bytes):
        if header.producer_id >= 0 and header.base_offset >= replay_from:
            state.replay(header, header.base_offset, header.max_timestamp)
