"""Checksums of many messages at once say of each message what its own would say."""

import random
import zlib
from collections.abc import Callable

import numpy as np
import pytest

from chronik.audit.tables.ids import checksum
from chronik.spark.audit import log_checksums
from chronik.spark.audit.log_checksums import BLOCK, are_intact
from chronik.spark.decode.columnar import Spans

Content = tuple[bytes | None, bytes | None]


def laid_out(messages: list[Content], dice: random.Random) -> tuple[bytes, Spans, Spans]:
    """Put keys and values into one buffer, with other bytes between them, as records have them."""
    data = bytearray()
    spans: tuple[list[tuple[int, int]], list[tuple[int, int]]] = ([], [])
    for message in messages:
        for places, content in zip(spans, message, strict=True):
            data += dice.randbytes(dice.randrange(4))
            places.append((len(data), -1 if content is None else len(content)))
            data += content or b""
    keys, values = (Spans(*np.array(places, np.int64).reshape(-1, 2).T) for places in spans)
    return bytes(data), keys, values


def judged(messages: list[Content], claimed: list[int], dice: random.Random) -> list[bool]:
    data, keys, values = laid_out(messages, dice)
    found = are_intact(np.frombuffer(data, np.uint8), keys, values, np.array(claimed, np.uint32))
    return [bool(one) for one in found]


def content(dice: random.Random, length_max: int) -> bytes | None:
    return None if dice.random() < 0.1 else dice.randbytes(dice.randrange(length_max))


def noting(summed: list[int]) -> Callable[..., int]:
    def crc32(data: memoryview, before: int = 0) -> int:
        summed.append(len(data))
        return zlib.crc32(data, before)

    return crc32


@pytest.mark.parametrize("count", [0, 1, 7, BLOCK - 1, BLOCK, BLOCK + 1, 3 * BLOCK + 5])
@pytest.mark.parametrize("has_keys", [False, True])
def test_each_message_that_is_not_what_it_claims_is_named_and_no_other(count: int, has_keys: bool) -> None:
    dice = random.Random(count)
    messages = [(content(dice, 30) if has_keys else None, content(dice, 300)) for _ in range(count)]
    is_sound = [dice.random() > 3 / BLOCK for _ in messages]
    claimed = [checksum(value, key) ^ (0 if ok else 4) for (key, value), ok in zip(messages, is_sound, strict=True)]
    assert judged(messages, claimed, dice) == is_sound
    assert all(judged(messages, [checksum(value, key) for key, value in messages], dice))


def test_messages_that_changed_places_are_both_named() -> None:
    dice = random.Random(1)
    messages: list[Content] = [(None, dice.randbytes(100)) for _ in range(2 * BLOCK)]
    claimed = [checksum(value, key) for key, value in messages]
    messages[5], messages[900] = messages[900], messages[5]
    assert [n for n, ok in enumerate(judged(messages, claimed, dice)) if not ok] == [5, 900]


def test_damage_that_is_the_same_in_every_message_is_seen_in_every_message() -> None:
    dice = random.Random(2)
    messages: list[Content] = [(b"key", dice.randbytes(64)) for _ in range(BLOCK)]
    claimed = [checksum(value, key) ^ 0x01010101 for key, value in messages]
    assert not any(judged(messages, claimed, dice))


def test_long_messages_are_joined_as_short_ones_are() -> None:
    dice = random.Random(3)
    messages: list[Content] = [(None, dice.randbytes(size)) for size in (1_000_000, 3, 0, 70_000, 4095, 4096)]
    claimed = [checksum(value, key) for key, value in messages]
    assert all(judged(messages, claimed, dice))
    claimed[3] ^= 1
    assert judged(messages, claimed, dice) == [True, True, True, False, True, True]


def test_nothing_to_sum_up_is_intact() -> None:
    assert all(judged([(None, None)] * 3, [0, 0, 0], random.Random(4)))


def test_block_that_fits_is_summed_up_in_one_piece(monkeypatch: pytest.MonkeyPatch) -> None:
    dice = random.Random(5)
    messages = [(content(dice, 20), content(dice, 300)) for _ in range(3 * BLOCK)]
    claimed = [checksum(value, key) for key, value in messages]
    summed: list[int] = []
    monkeypatch.setattr(log_checksums, "crc32", noting(summed))
    assert all(judged(messages, claimed, dice))
    # What is kept for all blocks is made of sums over one byte.
    assert [size for size in summed if size > 1] == [
        sum(len(key or b"") + len(value or b"") for key, value in messages[first : first + BLOCK])
        for first in range(0, 3 * BLOCK, BLOCK)
    ]
