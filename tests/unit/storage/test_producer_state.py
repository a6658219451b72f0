"""Idempotence: what is new, what came before, and what must not be written."""

from collections.abc import Sequence

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from chronik.model.errors import ErrorCode
from chronik.records.batch import SEQUENCE_MAX, BatchHeader, read_header
from chronik.records.build import Record, build_batch
from chronik.storage.producer_state import (
    ACCEPTED,
    BATCHES_KEPT,
    Accepted,
    Duplicate,
    ProducerDescription,
    ProducerState,
    Refused,
    Verdict,
)

unhurried = settings(max_examples=50, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
PRODUCER = 7


def batch(
    sequence: int, count: int = 1, *, epoch: int = 0, producer_id: int = PRODUCER, time: int = 100
) -> BatchHeader:
    records = [Record(b"k", b"v", (), time)] * count
    return read_header(build_batch(records, producer_id=producer_id, producer_epoch=epoch, base_sequence=sequence))


def state_after(batches: Sequence[BatchHeader], **options: int) -> ProducerState:
    state, offset = ProducerState(**options), 0
    for header in batches:
        state.replay(header, offset, header.max_timestamp)
        offset += header.record_count
    return state


def error_of(verdict: Verdict) -> ErrorCode:
    assert isinstance(verdict, Refused), verdict
    assert verdict.message
    return verdict.error


def test_the_next_sequence_is_accepted_and_a_gap_is_refused() -> None:
    state = state_after([batch(0, 3)])
    assert state.check(batch(3)) == ACCEPTED
    assert error_of(state.check(batch(4))) == ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER


def test_any_of_the_last_five_batches_is_answered_with_its_original_offsets() -> None:
    """Regression 51: a duplicate is answered with its original offset."""
    sent = [batch(n * 2, 2, time=100 + n) for n in range(8)]
    state = state_after(sent)
    for n in range(3, 8):
        assert state.check(sent[n]) == Duplicate(base_offset=n * 2, last_offset=n * 2 + 1, timestamp=100 + n)


def test_an_older_duplicate_is_a_duplicate_because_it_was_written() -> None:
    sent = [batch(n) for n in range(8)]
    state = state_after(sent)
    assert [error_of(state.check(sent[n])) for n in range(3)] == [ErrorCode.DUPLICATE_SEQUENCE_NUMBER] * 3


def test_a_sequence_from_before_the_first_known_one_is_never_called_a_duplicate() -> None:
    """A client takes "duplicate" for success, and this batch may have been refused before the first was taken."""
    state = state_after([batch(n) for n in range(12, 20)])
    assert error_of(state.check(batch(11))) == ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER
    assert error_of(state.check(batch(12))) == ErrorCode.DUPLICATE_SEQUENCE_NUMBER


def test_sequences_missing_from_a_loaded_log_are_never_called_duplicates() -> None:
    state = state_after([batch(0), *(batch(n) for n in range(10, 17))])
    assert error_of(state.check(batch(5))) == ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER
    assert error_of(state.check(batch(10))) == ErrorCode.DUPLICATE_SEQUENCE_NUMBER


def test_part_of_a_batch_or_more_than_it_is_no_duplicate() -> None:
    state = state_after([batch(0, 4)])
    for other in (batch(0, 3), batch(0, 5), batch(1, 3)):
        assert error_of(state.check(other)) == ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER


def test_an_unknown_producer_may_start_at_any_sequence() -> None:
    assert ProducerState().check(batch(4711)) == ACCEPTED


def test_a_batch_without_producer_is_accepted_and_not_remembered() -> None:
    header = batch(-1, producer_id=-1, epoch=-1)
    state = state_after([header])
    assert state.check(header) == ACCEPTED
    assert len(state) == 0


def test_after_the_largest_sequence_comes_zero() -> None:
    state = state_after([batch(SEQUENCE_MAX - 1, 2)])
    assert state.check(batch(0)) == ACCEPTED
    state = state_after([batch(SEQUENCE_MAX - 1, 4)])
    assert state.check(batch(2)) == ACCEPTED
    assert state.check(batch(SEQUENCE_MAX - 1, 4)) == Duplicate(0, 3, 100)


def test_an_old_duplicate_across_the_wrap_is_recognised() -> None:
    sent = [batch(sequence & SEQUENCE_MAX) for sequence in range(SEQUENCE_MAX - 3, SEQUENCE_MAX + 6)]
    state = state_after(sent)
    assert error_of(state.check(sent[0])) == ErrorCode.DUPLICATE_SEQUENCE_NUMBER


def test_a_lower_epoch_is_fenced() -> None:
    state = state_after([batch(0, epoch=3)])
    assert error_of(state.check(batch(1, epoch=2))) == ErrorCode.INVALID_PRODUCER_EPOCH


def test_a_new_epoch_begins_with_sequence_zero_and_forgets_the_old_batches() -> None:
    state = state_after([batch(0), batch(1)])
    assert error_of(state.check(batch(2, epoch=1))) == ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER
    assert state.check(batch(0, epoch=1)) == ACCEPTED
    state.replay(batch(0, epoch=1), 2, 100)
    assert state.check(batch(0, epoch=1)) == Duplicate(2, 2, 100)
    assert error_of(state.check(batch(0))) == ErrorCode.INVALID_PRODUCER_EPOCH


def test_five_staged_batches_are_judged_in_order_before_any_is_written() -> None:
    state = ProducerState()
    for n in range(BATCHES_KEPT):
        assert state.check(batch(n)) == ACCEPTED
        state.replay(batch(n), n, 100)
    assert all(isinstance(state.check(batch(n)), Duplicate) for n in range(BATCHES_KEPT))


def test_silent_producers_expire_and_may_then_start_anywhere() -> None:
    state = state_after([batch(0, producer_id=1, time=100), batch(0, producer_id=2, time=200)], expiration_ms=50)
    assert state.expire(150) == 0
    assert state.expire(151) == 1
    assert [entry.producer_id for entry in state.entries()] == [2]
    assert state.check(batch(99, producer_id=1)) == ACCEPTED


def test_beyond_the_bound_the_longest_silent_producer_is_forgotten() -> None:
    state = state_after([batch(n, producer_id=p) for n, p in ((0, 1), (0, 2), (1, 1), (0, 3))], producers_max=2)
    assert [entry.producer_id for entry in state.entries()] == [1, 3]


def test_truncation_below_a_known_batch_asks_for_a_reload() -> None:
    """Regression 13: a cut log must not answer a retry with an offset that is gone."""
    state = state_after([batch(0, 2), batch(2, 2)])
    assert state.truncate_to(4)
    assert len(state) == 1
    assert not state.truncate_to(3)
    assert len(state) == 0


def test_producers_are_described_by_id() -> None:
    state = state_after([batch(0, 5, producer_id=9, epoch=4, time=50), batch(3, producer_id=1)])
    assert state.describe() == [ProducerDescription(1, 0, 3, 100), ProducerDescription(9, 4, 4, 50)]
    assert state.describe()[0].coordinator_epoch == state.describe()[0].current_transaction_start_offset == -1


def test_control_batches_carry_no_sequence() -> None:
    control = build_batch([Record(b"\0\0\0\1", b"")], producer_id=PRODUCER, producer_epoch=0, is_control=True)
    state = state_after([batch(0), read_header(control)])
    assert state.check(batch(1)) == ACCEPTED


@unhurried
@given(st.lists(st.tuples(st.integers(1, 4), st.integers(0, 5)), max_size=40), st.integers(0, SEQUENCE_MAX))
def test_whatever_is_sent_again_nothing_is_taken_twice(steps: list[tuple[int, int]], start: int) -> None:
    """The model: a list of all batches ever taken. Each step sends a new batch, or one from ``back`` steps ago."""
    state = ProducerState()
    taken: list[BatchHeader] = []
    offset_of: dict[int, int] = {}
    sequence, offset = start, 0
    for count, back in steps:
        if 0 < back <= len(taken):
            again = taken[-back]
            assert state.check(again) == Duplicate(offset_of[id(again)], offset_of[id(again)] + again[6], 100)
            continue
        header = batch(sequence, count)
        assert isinstance(state.check(header), Accepted)
        state.replay(header, offset, 100)
        taken.append(header)
        offset_of[id(header)] = offset
        sequence, offset = (sequence + count) & SEQUENCE_MAX, offset + count


@pytest.mark.parametrize("kept", [1, 2, 5])
def test_loading_keeps_the_latest_producers_within_the_bound(kept: int) -> None:
    full = state_after([batch(0, producer_id=p, time=100 + p) for p in range(5)])
    state = ProducerState(producers_max=kept)
    state.load(full.entries())
    assert [entry.producer_id for entry in state.entries()] == list(range(5))[-kept:]
