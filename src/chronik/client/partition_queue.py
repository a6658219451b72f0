"""The batches for one partition: in order, several in flight, retried in order.

After a failure the queue sends nothing more, waits until every batch in flight has a result, and starts again with the
first batch that was not acknowledged. With idempotence the broker rejects batches behind a gap, so the order is kept;
without it, batches behind a failed one may overtake it.
"""

import asyncio
import time
from collections import deque
from collections.abc import Callable
from typing import Final, NamedTuple

from chronik.client.cluster import Cluster
from chronik.client.connection import BrokerConnection
from chronik.client.delivery import DeliveryReport
from chronik.client.errors import ClientError, RefusedError, UnreachableError, check, error_of
from chronik.client.producer_batch import ProducerBatch
from chronik.model.errors import ErrorCode
from chronik.model.ids import NO_PRODUCER_ID, ZERO_TOPIC_ID, TopicPartition
from chronik.protocol.constants import PRODUCE_LAST_VERSION_BY_NAME
from chronik.protocol.generated.init_producer_id import InitProducerIdRequest, InitProducerIdResponse
from chronik.protocol.generated.produce import (
    PartitionProduceData,
    PartitionProduceResponse,
    ProduceRequest,
    ProduceResponse,
    TopicProduceData,
)
from chronik.records.batch import sequence_after
from chronik.records.build import Record
from chronik.records.codecs import Codec

_EPOCH_MAX: Final = 2**15 - 1
_ANSWER_GRACE_S: Final = 2.0


class ProducerIdentity(NamedTuple):
    """The identity of an idempotent producer."""

    producer_id: int
    epoch: int


ANONYMOUS: Final = ProducerIdentity(NO_PRODUCER_ID, -1)


async def new_identity(cluster: Cluster) -> ProducerIdentity:
    """Request a producer id from the cluster."""

    async def attempt() -> ProducerIdentity:
        connection = await cluster.any_connection()
        request = InitProducerIdRequest(transactional_id=None, transaction_timeout_ms=60_000)
        answer = await connection.call(request, InitProducerIdResponse)
        check(answer.error_code, f"{connection.where}: InitProducerId")
        return ProducerIdentity(answer.producer_id, answer.producer_epoch)

    return await cluster.retrying(attempt)


class PartitionQueue:
    """All batches for one partition without a result yet."""

    def __init__(
        self,
        at: TopicPartition,
        cluster: Cluster,
        identity: ProducerIdentity,
        on_closed: Callable[[TopicPartition], None],
        on_settled: Callable[[ProducerBatch], None],
    ) -> None:
        self._at = at
        self._cluster = cluster
        self._settings = cluster.settings
        self._codec = Codec[cluster.settings.codec.upper()]
        self._identity = identity
        self._on_closed = on_closed
        self._on_settled = on_settled
        self._loop = asyncio.get_running_loop()
        self._open: ProducerBatch | None = None
        self._linger: asyncio.Handle | None = None
        self._ready: deque[ProducerBatch] = deque()
        self._in_flight: deque[ProducerBatch] = deque()
        self._failed: list[ProducerBatch] = []
        self._sequence = 0
        self._must_restart_sequence = False
        self._connection: BrokerConnection | None = None
        self._recovery: asyncio.Task[None] | None = None
        self._backoffs = cluster.backoffs()

    @property
    def is_idempotent(self) -> bool:
        """Whether batches carry a sequence."""
        return self._identity is not ANONYMOUS

    def put(self, record: Record, size_bytes: int, waiter: asyncio.Future[DeliveryReport]) -> None:
        """Add a record to the open batch, and close the batch when it is full."""
        if self._open is not None and self._open.size_bytes + size_bytes > self._settings.batch_bytes:
            self.close_batch()
        if self._open is None:
            self._begin_batch()
        assert self._open is not None
        self._open.add(record, size_bytes, waiter)
        if self._open.size_bytes >= self._settings.batch_bytes:
            self.close_batch()

    def close_batch(self) -> None:
        """Close the open batch and send as many batches as may be in flight."""
        if self._open is None:
            return
        if self._linger is not None:
            self._linger.cancel()
        batch, self._open, self._linger = self._open, None, None
        self._ready.append(batch)
        self._on_closed(self._at)
        self._push()

    async def stop(self) -> None:
        """Stop; batches without an acknowledgement get an unknown or refused result."""
        self.close_batch()
        if self._recovery is not None:
            self._recovery.cancel()
            await asyncio.wait([self._recovery])
        for batch in self._in_flight:
            batch.maybe_written = True
        for batch in (*self._failed, *self._in_flight, *self._ready):
            self._give_up(batch, ErrorCode.REQUEST_TIMED_OUT, "the producer was closed")
        self._failed, self._in_flight, self._ready = [], deque(), deque()

    def _begin_batch(self) -> None:
        self._open = ProducerBatch(self._at, time.monotonic() + self._settings.delivery_timeout_ms / 1000)
        if self._settings.linger_ms:
            self._linger = self._loop.call_later(self._settings.linger_ms / 1000, self.close_batch)
        else:
            self._linger = self._loop.call_soon(self.close_batch)

    def _push(self) -> None:
        if self._recovery is not None or self._is_troubled:
            return
        if self._connection is None or not self._connection.is_open:
            self._recover()
            return
        while self._ready and len(self._in_flight) < self._settings.in_flight_max and not self._is_troubled:
            self._transmit(self._connection, self._ready.popleft())

    @property
    def _is_troubled(self) -> bool:
        return bool(self._failed) or self._must_restart_sequence

    def _transmit(self, connection: BrokerConnection, batch: ProducerBatch) -> None:
        if self.is_idempotent and not batch.is_numbered:
            batch.number(self._sequence)
            self._sequence = sequence_after(self._sequence, len(batch.records))
        self._in_flight.append(batch)
        try:
            answer = self._send(connection, batch)
        except ClientError as error:
            self._in_flight.pop()
            self._after_failure(batch, error)
            self._recover_when_settled()
            return
        if answer is None:
            self._in_flight.pop()
            batch.release_unacknowledged()
            self._on_settled(batch)
        else:
            answer.add_done_callback(lambda done: self._on_answer(batch, done))

    def _send(self, connection: BrokerConnection, batch: ProducerBatch) -> asyncio.Future[ProduceResponse] | None:
        topic_id = self._cluster.topic_id(self._at.topic)
        cap = PRODUCE_LAST_VERSION_BY_NAME if topic_id == ZERO_TOPIC_ID else None
        version = connection.version_of(ProduceRequest, cap)
        records = batch.encoded(self._codec, *self._identity)
        partition = PartitionProduceData(index=self._at.partition, records=records)
        request = ProduceRequest(
            acks=self._settings.acks,
            timeout_ms=self._settings.request_timeout_ms,
            topic_data=[TopicProduceData(name=self._at.topic, topic_id=topic_id, partition_data=[partition])],
        )
        if self._settings.acks == 0:
            connection.send_unanswered(request, ProduceResponse, version=version)
            return None
        timeout_s = self._settings.request_timeout_ms / 1000 + _ANSWER_GRACE_S
        return connection.send(request, ProduceResponse, version=version, timeout_s=timeout_s)

    def _on_answer(self, batch: ProducerBatch, done: asyncio.Future[ProduceResponse]) -> None:
        if not self._in_flight or self._in_flight[0] is not batch:
            return
        self._in_flight.popleft()
        failure = done.exception()
        if failure is None:
            self._judge(batch, _only_partition(done.result()))
        else:
            batch.maybe_written = True
            self._after_failure(batch, failure)
        self._recover_when_settled()
        self._push()

    def _judge(self, batch: ProducerBatch, answer: PartitionProduceResponse | None) -> None:
        if answer is None:
            batch.maybe_written = True
            self._after_failure(batch, RefusedError(ErrorCode.UNKNOWN_SERVER_ERROR, str(self._at), "an empty answer"))
            return
        error = error_of(answer.error_code)
        if error in (ErrorCode.NONE, ErrorCode.DUPLICATE_SEQUENCE_NUMBER):
            self._backoffs = self._cluster.backoffs()
            batch.acknowledge(-1 if error else answer.base_offset, answer.log_append_time_ms)
            self._on_settled(batch)
            return
        batch.note_error(error)
        self._after_failure(batch, RefusedError(error, str(self._at), answer.error_message))

    def _after_failure(self, batch: ProducerBatch, failure: BaseException) -> None:
        error = failure.error if isinstance(failure, RefusedError) else ErrorCode.NETWORK_EXCEPTION
        batch.note_attempt(error, str(failure))
        if self._may_try_again(batch, failure):
            self._failed.append(batch)
            return
        self._give_up(batch, error, str(failure))
        # The broker waits for the sequence of a batch that will never come.
        self._must_restart_sequence = self.is_idempotent

    def _may_try_again(self, batch: ProducerBatch, failure: BaseException) -> bool:
        if time.monotonic() >= batch.deadline:
            return False
        if isinstance(failure, UnreachableError):
            return True
        if not isinstance(failure, RefusedError):
            return False
        if failure.error is ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER:
            return self._is_troubled
        return failure.error.is_retriable and failure.error is not ErrorCode.CORRUPT_MESSAGE

    def _recover_when_settled(self) -> None:
        if self._is_troubled and not self._in_flight:
            self._recover()

    def _recover(self) -> None:
        if self._recovery is None and not self._in_flight:
            self._recovery = self._loop.create_task(self._begin_again())

    async def _begin_again(self) -> None:
        try:
            if self._is_troubled:
                await asyncio.sleep(next(self._backoffs))
                self._cluster.forget(self._at.topic)
            self._ready.extendleft(reversed(self._failed))
            self._failed = []
            self._drop_expired()
            await self._restart_sequence_if_due()
            self._connection = await self._cluster.leader_connection(self._at)
        except ClientError as failure:
            self._connection = None
            self._fail_ready(failure)
        finally:
            self._recovery = None
        self._recover_when_settled()
        if self._ready:
            self._push()

    async def _restart_sequence_if_due(self) -> None:
        if not self._must_restart_sequence:
            return
        if self._identity.epoch < _EPOCH_MAX:
            self._identity = ProducerIdentity(self._identity.producer_id, self._identity.epoch + 1)
        else:
            self._identity = await new_identity(self._cluster)
        self._sequence = 0
        for batch in self._ready:
            batch.unnumber()
        self._must_restart_sequence = False

    def _drop_expired(self) -> None:
        now = time.monotonic()
        while self._ready and self._ready[0].deadline <= now:
            batch = self._ready.popleft()
            self._must_restart_sequence |= batch.is_numbered
            self._give_up(batch, batch.last_error, f"delivery.timeout.ms has passed; {batch.last_reason}")

    def _fail_ready(self, failure: ClientError) -> None:
        """Fail the first batch if it may not be retried; the others follow one by one."""
        if not self._ready:
            return
        batch = self._ready.popleft()
        self._after_failure(batch, failure)

    def _give_up(self, batch: ProducerBatch, error: ErrorCode, reason: str) -> None:
        batch.give_up(error, reason)
        self._on_settled(batch)


def _only_partition(answer: ProduceResponse) -> PartitionProduceResponse | None:
    for topic in answer.responses:
        for partition in topic.partition_responses:
            return partition
    return None
