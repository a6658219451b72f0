"""The record bytes of batches, in groups of bounded size: in place, or decompressed side by side."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final

import numpy as np

from chronik.records.batch import HEADER_BYTES
from chronik.records.codecs import Codec, CodecError, decompress
from chronik.records.iterate import DECOMPRESSED_BYTES_MAX
from chronik.spark.decode.batch_table import BatchTable
from chronik.spark.decode.columnar import Bodies
from chronik.spark.decode.varints import Bytes

GROUP_BYTES: Final = 16 * 1024 * 1024
"""The bytes of records that are decoded together; a larger batch is a group of its own."""


@dataclass(frozen=True, slots=True)
class BatchGroup:
    """Batches whose records are decoded together, and batches that could not be decompressed."""

    table: BatchTable
    bodies: Bodies
    failures: list[tuple[BatchTable, str]] = field(default_factory=list)


def batch_groups(table: BatchTable) -> Iterator[BatchGroup]:
    """Return the batches in groups, in order, without empty batches."""
    table = table.only(table.counts > 0)
    is_packed = table.codecs != Codec.NONE
    edges = np.flatnonzero(is_packed[1:] != is_packed[:-1]) + 1
    for begin, end in zip([0, *edges.tolist()], [*edges.tolist(), len(table)], strict=True):
        run = table.only(slice(begin, end))
        if len(run):
            yield from _unpacked(run) if is_packed[begin] else _plain(run)


def _plain(table: BatchTable) -> Iterator[BatchGroup]:
    steps = (table.positions - table.positions[0]) // GROUP_BYTES
    edges = [0, *(np.flatnonzero(steps[1:] != steps[:-1]) + 1).tolist(), len(table)]
    for begin, end in pairwise(edges):
        part = table.only(slice(begin, end))
        ends = part.positions + part.sizes
        yield BatchGroup(part, Bodies(part.data, part.positions + HEADER_BYTES, ends, part.counts))


def _unpacked(table: BatchTable) -> Iterator[BatchGroup]:
    starts = (table.positions + HEADER_BYTES).tolist()
    ends = (table.positions + table.sizes).tolist()
    view = table.data.data
    found: list[Bytes] = []
    chosen: list[int] = []
    failures: list[tuple[BatchTable, str]] = []
    held_bytes = 0
    for number, codec in enumerate(table.codecs.tolist()):
        try:
            body = decompress(Codec(codec), view[starts[number] : ends[number]], DECOMPRESSED_BYTES_MAX)
        except ValueError as error:
            failures.append((table.only(slice(number, number + 1)), _reason(codec, error)))
            continue
        found.append(np.frombuffer(body, np.uint8))
        chosen.append(number)
        held_bytes += len(body)
        if held_bytes >= GROUP_BYTES:
            yield _side_by_side(table, chosen, found, failures)
            found, chosen, failures, held_bytes = [], [], [], 0
    if chosen or failures:
        yield _side_by_side(table, chosen, found, failures)


def _reason(codec: int, error: ValueError) -> str:
    return str(error) if isinstance(error, CodecError) else f"there is no compression codec {codec}"


def _side_by_side(
    table: BatchTable, chosen: list[int], found: list[Bytes], failures: list[tuple[BatchTable, str]]
) -> BatchGroup:
    part = BatchTable(table.data, table.positions[chosen], table.headers[chosen])
    ends = np.cumsum([len(body) for body in found], dtype=np.int64)
    starts = np.append(0, ends[:-1])[: len(ends)]
    data = np.concatenate(found) if found else np.empty(0, np.uint8)
    return BatchGroup(part, Bodies(data, starts, ends, part.counts), failures)
