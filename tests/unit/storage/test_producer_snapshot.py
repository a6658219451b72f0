"""Producer state as bytes: Kafka's form to the byte, ours without loss, and no belief in damage."""

import struct
from collections import deque

import pytest
from crc32c import crc32c
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from chronik.storage.producer_snapshot import (
    DamagedSnapshotError,
    decode_best,
    decode_full,
    decode_kafka,
    encode_full,
    encode_kafka,
)
from chronik.storage.producer_state import BATCHES_KEPT, ProducedBatch, ProducerEntry

unhurried = settings(max_examples=50, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
int32 = st.integers(0, 2**31 - 1)
int64 = st.integers(0, 2**62)
batches = st.builds(ProducedBatch, int32, int32, int64, int64, int64)
entries = st.lists(
    st.builds(
        ProducerEntry,
        int64,
        st.integers(0, 2**15 - 1),
        st.lists(batches, min_size=1, max_size=BATCHES_KEPT).map(lambda items: deque(items, maxlen=BATCHES_KEPT)),
        int64,
        int32,
    ),
    max_size=5,
)
ONE = ProducerEntry(11, 3, deque([ProducedBatch(0, 4, 100, 104, 9), ProducedBatch(5, 6, 105, 106, 10)], 5), 77, 0)


def test_kafkas_form_is_laid_out_as_its_tools_read_it() -> None:
    body = struct.pack(">iqhiqiqiq", 1, 11, 3, 6, 106, 1, 77, -1, -1)
    assert encode_kafka([ONE]) == struct.pack(">hI", 1, crc32c(body)) + body


def test_kafkas_form_brings_back_the_last_batch() -> None:
    [entry] = decode_kafka(encode_kafka([ONE]))
    assert list(entry.batches) == [ProducedBatch(5, 6, 105, 106, 77)]
    assert (entry.producer_id, entry.epoch, entry.last_timestamp, entry.known_from) == (11, 3, 77, 5)


@unhurried
@given(entries)
def test_our_form_brings_back_everything(known: list[ProducerEntry]) -> None:
    restored = decode_full(encode_full(known))
    assert restored == known
    assert all(entry.batches.maxlen == BATCHES_KEPT for entry in restored)


@pytest.mark.parametrize(("encode", "decode"), [(encode_kafka, decode_kafka), (encode_full, decode_full)])
@unhurried
@given(st.data())
def test_no_damaged_and_no_shortened_snapshot_is_accepted(encode, decode, data) -> None:  # type: ignore[no-untyped-def]
    good = encode([ONE])
    position = data.draw(st.integers(0, len(good) - 1))
    flipped = bytearray(good)
    flipped[position] ^= 1 << data.draw(st.integers(0, 7))
    for damaged in (bytes(flipped), good[:position], good + b"\0"):
        with pytest.raises(DamagedSnapshotError):
            decode(damaged)


def test_loading_prefers_our_form_and_falls_back_to_kafkas() -> None:
    full, kafka = encode_full([ONE]), encode_kafka([ONE])
    assert len(decode_best(full, kafka)[0].batches) == 2
    assert len(decode_best(full[:-1], kafka)[0].batches) == 1
    assert len(decode_best(None, kafka)[0].batches) == 1
    with pytest.raises(DamagedSnapshotError, match=r"missing.*damaged"):
        decode_best(None, kafka[:-1])


@pytest.mark.parametrize("body", [struct.pack(">i", 0) + b"more", struct.pack(">iqhqiB", 1, 7, 0, 0, 0, 0), b""])
def test_nonsense_with_a_right_crc_is_not_believed(body: bytes) -> None:
    for head, decode in (
        (struct.pack(">4sHI", b"CHRP", 1, crc32c(body)), decode_full),
        (struct.pack(">hI", 1, crc32c(body)), decode_kafka),
    ):
        with pytest.raises(DamagedSnapshotError):
            decode(head + body)
