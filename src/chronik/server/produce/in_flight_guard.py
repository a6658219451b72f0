"""Keeps the batches of idempotent producers in order when this broker rejects or forwards some of them.

A producer has up to five requests in flight to one broker. The first may be rejected because the broker does not lead
yet or too few replicas are in sync, and the second may arrive just after that has changed. The second batch then leaves
a gap in the sequences. After OUT_OF_ORDER_SEQUENCE_NUMBER librdkafka begins a new producer epoch and renumbers its
batches in flight; a batch that the log holds from before the change of leader is then not recognised, and is stored
twice. And where there is no gap, librdkafka takes the acknowledgement of the second batch for one of the first, whose
offsets stay unknown.

So after a rejected batch, the later batches of the producer's stream are rejected with the same error, and the client
retries them in order. Sequences in a stream are consecutive: the next sequence belongs to the rejected batches, any
other shows that the producer has begun to retry. The same holds for batches that were appended in a term that ended
before they were safe, and for batches that were forwarded and have no known outcome. The forwarded batches of a stream
go to one leader only: another leader could acknowledge a batch while the outcome of an earlier one is still unknown.
"""

from collections.abc import Iterator
from typing import Final, NamedTuple, Protocol

from chronik.model.errors import ErrorCode
from chronik.model.ids import NO_BROKER, BrokerId, TopicId, TopicPartition
from chronik.records.batch import SEQUENCE_MAX, Sequences, sequences_of
from chronik.server.produce.append_outcome import AppendOutcome

STREAMS_MAX: Final = 4096
REMEMBERED_MS: Final = 60_000
"""Longer than clients wait for a response before they retry on another connection."""
YOUNG_TERM_MS: Final = 5_000
"""How long after a change of leader a missing batch may be on its way back from the leader before."""
OUT_OF_TURN: Final = "an earlier batch of this producer was not appended: retry from that batch on"

_PRODUCER_STATE_ERRORS: Final = (ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER, ErrorCode.INVALID_PRODUCER_EPOCH)
_OVERRULED: Final = (ErrorCode.NONE, ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER)


def error_of_gap(error: ErrorCode, term_age_ms: int, *, has_predecessor: bool) -> ErrorCode:
    """Return the error for a batch that the leader's producer state rejects.

    In a young term the batches of a gap may be on their way back from the leader before: the producer must retry.
    """
    is_gap = error is ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER
    return ErrorCode.NOT_LEADER_OR_FOLLOWER if is_gap and has_predecessor and term_age_ms < YOUNG_TERM_MS else error


def error_without_lease(error: ErrorCode) -> ErrorCode:
    """Return the error that a broker sends whose lease may be over.

    Another leader may know later batches of the producer. The client's retry finds that leader.
    """
    return ErrorCode.NOT_LEADER_OR_FOLLOWER if error in _PRODUCER_STATE_ERRORS else error


class EndingTerm(Protocol):
    """A partition whose term as leader ends."""

    @property
    def topic_id(self) -> TopicId: ...
    @property
    def topic_partition(self) -> TopicPartition: ...
    def waiting_producers(self) -> Iterator[Sequences]: ...


class ProducerStream(NamedTuple):
    """The batches of one producer for one partition."""

    topic_id: TopicId
    partition: int
    producer_id: int


class StreamBatch(NamedTuple):
    """The sequences of one batch, or of several consecutive ones, in their stream."""

    stream: ProducerStream
    epoch: int
    first_sequence: int
    next_sequence: int


class _OpenBatches:
    """Consecutive batches of a stream that this broker rejected, or forwarded without a known outcome."""

    __slots__ = ("epoch", "error", "first_sequence", "is_rejected", "leader", "next_sequence", "until_ms")

    def __init__(
        self, batch: StreamBatch, error: ErrorCode, until_ms: int, leader: BrokerId, *, is_rejected: bool
    ) -> None:
        self.epoch = batch.epoch
        self.first_sequence = batch.first_sequence
        self.next_sequence = batch.next_sequence
        self.error = error
        self.is_rejected = is_rejected
        """Whether one of them is known not to be appended; later batches are rejected from then on."""
        self.leader = leader
        """The broker that they were forwarded to."""
        self.until_ms = until_ms

    def continues_with(self, batch: StreamBatch) -> bool:
        return (batch.epoch, batch.first_sequence) == (self.epoch, self.next_sequence)

    def contains(self, batch: StreamBatch) -> bool:
        is_from_first = _is_at_or_after(batch.first_sequence, self.first_sequence)
        return batch.epoch == self.epoch and is_from_first and _is_at_or_after(self.next_sequence, batch.next_sequence)


class InFlightGuard:
    """The open batches of each producer stream on this broker."""

    def __init__(self) -> None:
        # In insertion order, which is the order of time.
        self._open: dict[ProducerStream, _OpenBatches] = {}

    def __len__(self) -> int:
        return len(self._open)

    def rejection_of(
        self, topic_id: TopicId, index: int, records: memoryview | bytes, now_ms: int, leader: BrokerId = NO_BROKER
    ) -> ErrorCode | None:
        """Return the error of a batch that follows open batches, or None where the batch may be routed.

        ``leader`` is the broker that the batch would be forwarded to. It may follow batches that were forwarded to the
        same leader, as long as none of them is rejected.
        """
        self._expire(now_ms)
        batch = _batch_of(topic_id, index, records)
        opened = self._open.get(batch.stream) if batch is not None else None
        if batch is None or opened is None:
            return None
        if not opened.continues_with(batch):
            del self._open[batch.stream]
            return None
        if leader != NO_BROKER and leader == opened.leader and not opened.is_rejected:
            return None
        opened.is_rejected = True
        opened.next_sequence = batch.next_sequence
        return opened.error

    def record_rejected(
        self, topic_id: TopicId, index: int, records: memoryview | bytes, error: ErrorCode, now_ms: int
    ) -> None:
        """Remember a rejected batch and its error."""
        batch = _batch_of(topic_id, index, records)
        if batch is not None:
            self._add(batch, error, now_ms, is_rejected=True)

    def record_forwarded(
        self, topic_id: TopicId, index: int, records: memoryview | bytes, now_ms: int, leader: BrokerId
    ) -> StreamBatch | None:
        """Remember a forwarded batch; return what ``settle_forwarded`` takes, or None without a producer id."""
        batch = _batch_of(topic_id, index, records)
        if batch is not None:
            self._add(batch, ErrorCode.NOT_LEADER_OR_FOLLOWER, now_ms, leader, is_rejected=False)
        return batch

    def record_unacknowledged(self, partition: EndingTerm, now_ms: int) -> None:
        """Remember the batches that are not safe when their term ends: their producers will retry them."""
        index = partition.topic_partition.partition
        for sequences in partition.waiting_producers():
            batch = _batch_with(partition.topic_id, index, sequences)
            self._add(batch, ErrorCode.NOT_LEADER_OR_FOLLOWER, now_ms, is_rejected=True)

    def settle_forwarded(self, batch: StreamBatch, outcome: AppendOutcome) -> None:
        """Close a forwarded batch, or reject it because the outcome of an earlier batch is not known.

        Without the earlier batch the leader sees a gap that is not the producer's fault, and a success would count as
        an acknowledgement of the earlier batch. The retry of a batch that the leader has is answered with its offset.
        """
        if outcome.error in _OVERRULED and self.follows_open(batch):
            outcome.overrule(ErrorCode.NOT_LEADER_OR_FOLLOWER, OUT_OF_TURN)
        self.settle(batch, is_appended=outcome.error is ErrorCode.NONE)

    def follows_open(self, batch: StreamBatch) -> bool:
        """Whether a forwarded batch follows one without a known outcome."""
        opened = self._open_with(batch)
        return opened is not None and opened.first_sequence != batch.first_sequence

    def settle(self, batch: StreamBatch, *, is_appended: bool) -> None:
        """Close a forwarded batch and all before it if it is appended; otherwise later batches are rejected."""
        opened = self._open_with(batch)
        if opened is None:
            return
        if not is_appended:
            opened.is_rejected = True
        elif opened.next_sequence == batch.next_sequence:
            del self._open[batch.stream]
        else:
            opened.first_sequence = batch.next_sequence

    def _add(
        self, batch: StreamBatch, error: ErrorCode, now_ms: int, leader: BrokerId = NO_BROKER, *, is_rejected: bool
    ) -> None:
        self._expire(now_ms)
        opened = self._open.get(batch.stream)
        if opened is not None and opened.continues_with(batch):
            opened.next_sequence = batch.next_sequence
            opened.is_rejected = opened.is_rejected or is_rejected
            return
        self._open.pop(batch.stream, None)
        self._open[batch.stream] = _OpenBatches(batch, error, now_ms + REMEMBERED_MS, leader, is_rejected=is_rejected)

    def _open_with(self, batch: StreamBatch) -> _OpenBatches | None:
        opened = self._open.get(batch.stream)
        return opened if opened is not None and opened.contains(batch) else None

    def _expire(self, now_ms: int) -> None:
        while self._open:
            oldest = next(iter(self._open))
            if len(self._open) < STREAMS_MAX and self._open[oldest].until_ms >= now_ms:
                return
            del self._open[oldest]


def _is_at_or_after(sequence: int, first: int) -> bool:
    """Compare two sequences; after the largest one they start again at zero."""
    return (sequence - first) & SEQUENCE_MAX <= SEQUENCE_MAX // 2


def _batch_of(topic_id: TopicId, index: int, records: memoryview | bytes) -> StreamBatch | None:
    sequences = sequences_of(records)
    return None if sequences is None else _batch_with(topic_id, index, sequences)


def _batch_with(topic_id: TopicId, index: int, sequences: Sequences) -> StreamBatch:
    producer_id, epoch, first, following = sequences
    return StreamBatch(ProducerStream(topic_id, index, producer_id), epoch, first, following)
