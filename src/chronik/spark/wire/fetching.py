"""Fetch one slice of a partition: its batches in order, through leader changes and broken connections.

Transient errors are retried until no data has come for ``poll_timeout_ms``. Lost offsets become a problem, and reading
continues after them. Other errors raise, with topic, partition and offset.
"""

import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Final, NamedTuple

import numpy as np

from chronik.client.errors import ClientError, RefusedError, UnreachableError, error_of
from chronik.client.settings import client_settings
from chronik.model.errors import ErrorCode
from chronik.model.ids import ZERO_TOPIC_ID, TopicPartition
from chronik.protocol.constants import (
    CONSUMER_REPLICA_ID,
    EARLIEST_TIMESTAMP,
    FETCH_LAST_VERSION_BY_NAME,
    LATEST_TIMESTAMP,
)
from chronik.protocol.generated.fetch import FetchPartition, FetchRequest, FetchResponse, FetchTopic, PartitionData
from chronik.protocol.generated.list_offsets import (
    ListOffsetsPartition,
    ListOffsetsRequest,
    ListOffsetsResponse,
    ListOffsetsTopic,
)
from chronik.records.batch import CURRENT_MAGIC, MAGIC_POSITION
from chronik.spark.decode.batch_table import BatchTable, read_table
from chronik.spark.decode.transactions import Aborted, visibility_of
from chronik.spark.decode.varints import Bytes
from chronik.spark.planning.slices import ReadRules, Slice
from chronik.spark.source.problems import ClusterUnreachableError, Problem, ProblemKind, ReadError
from chronik.spark.wire.chunks import Chunk, Found
from chronik.spark.wire.fetch_plan import FetchPlan, PlannedFetch, prefetch_depth
from chronik.spark.wire.leaders import LeaderConnection, Leaders, is_transient

FETCH_BYTES: Final = 16 * 1024 * 1024
"""The size of a fetch, unless kafka.max.partition.fetch.bytes is set."""

_BACKOFF_S_MAX: Final = 1.0
_GONE_PATIENCE_S: Final = 3.0
"""How long a topic may be unknown: metadata of a new topic reaches all brokers after a moment."""
_GONE: Final = frozenset(
    {ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, ErrorCode.UNKNOWN_TOPIC_ID, ErrorCode.INCONSISTENT_TOPIC_ID}
)


class _Answer(NamedTuple):
    """The response to one fetch."""

    wanted: PlannedFetch
    table: BatchTable
    aborted: Aborted
    high_watermark: int


class SliceFetch:
    """The reading of one slice; ``close`` may be called from another thread."""

    def __init__(self, piece: Slice, rules: ReadRules, *, check_crcs: bool = True) -> None:
        given = dict(rules.client_options)
        self._settings = replace(client_settings(given), read_committed=rules.read_committed)
        fetch_bytes = self._settings.partition_fetch_bytes_max if "max.partition.fetch.bytes" in given else FETCH_BYTES
        self._piece = piece
        self._rules = rules
        self._check_crcs = check_crcs
        self._at = TopicPartition(piece.topic, piece.partition)
        self._plan = FetchPlan(piece.start_offset, piece.end_offset, fetch_bytes)
        self._leaders = Leaders(rules.bootstrap, self._settings)
        self._leader: LeaderConnection | None = None
        self._kept: list[_Answer] = []
        self._patience_s = rules.poll_timeout_ms / 1000
        self._last_progress = time.monotonic()
        self._backoff_s = 0.0
        self._is_closed = False

    def close(self) -> None:
        """Close the connection, which ends a wait in another thread."""
        self._is_closed = True
        self._disconnect()

    def __iter__(self) -> Iterator[Found]:
        """Return the batches of the slice, and the offsets that cannot be read."""
        try:
            while not self._plan.is_done and not self._is_closed:
                yield from self._step()
            self._release()
        finally:
            self._disconnect()

    def _step(self) -> Iterator[Found]:
        try:
            answer = self._exchange(self._leader or self._connect())
        except ClientError as error:
            yield from self._after_failure(error)
            return
        if len(answer.table):
            self._kept.append(answer)
            yield from self._usable()
        else:
            yield from self._after_nothing(answer)

    # -- the wire ------------------------------------------------------------------------------------------------

    def _connect(self) -> LeaderConnection:
        self._plan.start_over()
        self._kept.clear()
        leader = self._leader = self._leaders.connect(self._at)
        if self._piece.topic_id and leader.topic_id != ZERO_TOPIC_ID and str(leader.topic_id) != self._piece.topic_id:
            raise RefusedError(ErrorCode.INCONSISTENT_TOPIC_ID, str(self._at), "another topic has its name now")
        return leader

    def _disconnect(self) -> None:
        leader, self._leader = self._leader, None
        if leader is not None:
            leader.connection.close()

    def _release(self) -> None:
        """Keep the connection for the next slice of this partition, unless requests are in flight."""
        leader = self._leader
        if leader is not None and not self._is_closed and not self._plan.in_flight:
            self._leader = None
            self._leaders.release(self._at, leader)

    def _exchange(self, leader: LeaderConnection) -> _Answer:
        """Send the planned requests, and receive the next response."""
        while (wanted := self._plan.next_request()) is not None:
            leader.connection.send(self._request(leader, wanted), FetchResponse, _fetch_version(leader))
        began = time.monotonic()
        partition = _only_partition(leader.connection.receive(), leader.connection.where)
        error = error_of(partition.error_code)
        if error is not ErrorCode.NONE:
            raise RefusedError(error, f"{self._at} offset {self._plan.position}")
        answer = self._answer(partition)
        self._plan.prefetch = prefetch_depth(leader.connection.round_trip_s, time.monotonic() - began)
        return answer

    def _answer(self, partition: PartitionData) -> _Answer:
        records = partition.records
        data = np.frombuffer(b"" if records is None else records, np.uint8)
        table = read_table(data)
        next_offset = int(table.next_offsets[-1]) if len(table) else 0
        wanted = self._plan.answered(next_offset, table.end_position)
        aborted = [(one.first_offset, one.producer_id) for one in partition.aborted_transactions or ()]
        return _Answer(wanted, table, aborted, partition.high_watermark)

    def _request(self, leader: LeaderConnection, wanted: PlannedFetch) -> FetchRequest:
        partition = FetchPartition(
            partition=self._at.partition, fetch_offset=wanted.offset, partition_max_bytes=wanted.bytes_max
        )
        return FetchRequest(
            replica_id=CONSUMER_REPLICA_ID,
            max_wait_ms=min(self._settings.fetch_wait_ms_max, self._rules.poll_timeout_ms),
            min_bytes=1,
            max_bytes=max(wanted.bytes_max, 1),
            isolation_level=int(self._rules.read_committed),
            topics=[FetchTopic(topic=self._at.topic, topic_id=leader.topic_id, partitions=[partition])],
        )

    # -- responses -----------------------------------------------------------------------------------------------

    def _usable(self) -> Iterator[Found]:
        """Return the responses that continue at the position; later ones wait for the offsets before them."""
        while usable := [answer for answer in self._kept if answer.wanted.offset <= self._plan.position]:
            answer = usable[0]
            self._kept.remove(answer)
            yield from self._new_in(answer)

    def _new_in(self, answer: _Answer) -> Iterator[Found]:
        is_new = answer.table.next_offsets > self._plan.position
        table = answer.table.only(is_new)
        if not len(table):
            if self._is_out_of_patience():
                raise ReadError(self._timed_out("the broker sends only offsets before it"))
            return
        self._progressed()
        wrong = table.first_wrong_header(0)
        if wrong is not None:
            raise ReadError(
                f"{self._at} offset {self._plan.position}: the broker sent an invalid batch "
                f"(format {int(table.headers['magic'][wrong])}, offset {int(table.base_offsets[wrong])})"
            )
        start_offset = self._plan.position
        self._plan.advance(int(table.next_offsets[-1]))
        damaged = table.wrong_crcs() if self._check_crcs else []
        for number in damaged:
            start, end = int(table.base_offsets[number]), int(table.next_offsets[number])
            yield Problem(
                ProblemKind.DAMAGED, start, end, "the CRC does not match", size_bytes=int(table.sizes[number])
            )
        # From the whole response: its first batches may hold the markers of the aborted transactions that it names.
        chunk = Chunk(table, visibility_of(answer.table, answer.aborted).only(is_new), start_offset)
        yield chunk.only(~np.isin(np.arange(len(table)), damaged)) if damaged else chunk

    def _after_nothing(self, answer: _Answer) -> Iterator[Found]:
        """Fetch again, with a larger limit where a batch exceeds it; data that never comes is lost or an error."""
        if len(answer.table.data):
            self._ask_for_more(answer.table.data)
        elif self._is_out_of_patience():
            reason = f"the high watermark is {answer.high_watermark}"
            if answer.high_watermark > self._plan.position:
                raise ReadError(self._timed_out(reason))
            yield self._lost(self._piece.end_offset, reason)

    def _ask_for_more(self, begun: Bytes) -> None:
        where = f"{self._at} offset {self._plan.position}"
        if len(begun) > MAGIC_POSITION and begun[MAGIC_POSITION] < CURRENT_MAGIC:
            raise ReadError(
                f"{where}: messages of format {begun[MAGIC_POSITION]} are not supported, only record batches"
            )
        self._plan.fetch_bytes *= 2
        if self._plan.fetch_bytes > self._settings.frame_bytes_max:
            limit = self._settings.frame_bytes_max
            raise ReadError(f"{where}: a batch is larger than kafka.receive.message.max.bytes={limit}")

    def _progressed(self) -> None:
        self._last_progress = time.monotonic()
        self._backoff_s = 0.0

    # -- failures -----------------------------------------------------------------------------------------------

    def _after_failure(self, error: ClientError) -> Iterator[Found]:
        self._disconnect()
        if self._is_closed:
            return
        code = error.error if isinstance(error, RefusedError) else None
        if code is ErrorCode.OFFSET_OUT_OF_RANGE:
            yield from self._after_out_of_range()
        elif code in _GONE and time.monotonic() - self._last_progress > min(self._patience_s, _GONE_PATIENCE_S):
            yield self._lost(self._piece.end_offset, f"{error.what}: the topic or partition is no longer there")
        elif code is ErrorCode.CORRUPT_MESSAGE or not is_transient(error):
            raise ReadError(f"{self._at} offset {self._plan.position}: {error.what}. {error.advice}") from error
        elif self._is_out_of_patience():
            kind = ClusterUnreachableError if isinstance(error, UnreachableError) else ReadError
            raise kind(self._timed_out(error.what)) from error
        else:
            self._wait()

    def _wait(self) -> None:
        self._backoff_s = min(max(2 * self._backoff_s, self._rules.retry_interval_ms / 1000), _BACKOFF_S_MAX)
        time.sleep(self._backoff_s)

    def _after_out_of_range(self) -> Iterator[Found]:
        """Continue at the log start, or end the slice where the partition ends before it."""
        try:
            leader = self._connect()
            log_start = self._list_offset(leader, EARLIEST_TIMESTAMP)
            log_end = self._list_offset(leader, LATEST_TIMESTAMP)
        except ClientError as error:
            yield from self._after_failure(error)
            return
        position, end = self._plan.position, self._piece.end_offset
        if position < log_start:
            yield self._lost(min(log_start, end), f"the partition now begins at offset {log_start}")
        elif position > log_end:
            yield self._lost(end, f"the partition now ends at offset {log_end}")
        elif self._is_out_of_patience():
            raise ReadError(self._timed_out(f"the broker refuses it, but names {log_start}-{log_end}"))
        else:
            self._wait()

    def _list_offset(self, leader: LeaderConnection, timestamp: int) -> int:
        partition = ListOffsetsPartition(partition_index=self._at.partition, timestamp=timestamp)
        topics = [ListOffsetsTopic(name=self._at.topic, partitions=[partition])]
        answer = leader.connection.call(
            ListOffsetsRequest(replica_id=CONSUMER_REPLICA_ID, topics=topics), ListOffsetsResponse
        )
        found = answer.topics[0].partitions[0]
        if found.error_code:
            raise RefusedError(error_of(found.error_code), f"{self._at}: ListOffsets")
        return found.offset

    def _lost(self, end_offset: int, message: str) -> Problem:
        problem = Problem(ProblemKind.LOST, self._plan.position, end_offset, message)
        self._plan.advance(end_offset)
        self._progressed()
        return problem

    def _is_out_of_patience(self) -> bool:
        return time.monotonic() - self._last_progress > self._patience_s

    def _timed_out(self, reason: str) -> str:
        return (
            f"{self._at} offset {self._plan.position}: nothing could be fetched for {self._rules.poll_timeout_ms} ms "
            f"(option kafkaConsumer.pollTimeoutMs): {reason}"
        )


def _fetch_version(leader: LeaderConnection) -> int:
    return leader.connection.version_of(
        FetchRequest, FETCH_LAST_VERSION_BY_NAME if leader.topic_id == ZERO_TOPIC_ID else None
    )


def _only_partition(answer: FetchResponse, where: str) -> PartitionData:
    if answer.error_code:
        raise RefusedError(error_of(answer.error_code), f"{where}: Fetch")
    for topic in answer.responses:
        for partition in topic.partitions:
            return partition
    raise RefusedError(ErrorCode.UNKNOWN_SERVER_ERROR, where, "the Fetch response lacks the partition")
