"""Numbers of variable length, many at once."""

import numpy as np
import pytest

from chronik.records.varint import append_varint, read_varint, varint_bytes
from chronik.spark.decode.varints import NOWHERE, read_varints

EDGES = sorted({sign * ((1 << bits) + near) for bits in range(63) for near in (-1, 0, 1) for sign in (1, -1)})


@pytest.mark.parametrize("bytes_max", range(1, 11))
def test_numbers_of_every_length_are_read_as_one_by_one(bytes_max: int) -> None:
    numbers = [number for number in [*EDGES, 2**63 - 1, -(2**63)] if varint_bytes(number) <= bytes_max]
    data, positions, ends = bytearray(), [], []
    for number in numbers:
        positions.append(len(data))
        append_varint(data, number)
        ends.append(len(data))
    assert {end - start for start, end in zip(positions, ends, strict=True)} == set(range(1, bytes_max + 1))
    values, behind = read_varints(np.frombuffer(bytes(data), np.uint8), np.array(positions))
    assert values.tolist() == numbers
    assert behind.tolist() == ends


def test_numbers_of_one_byte_beside_numbers_of_two_do_not_take_the_next_byte() -> None:
    data = bytearray()
    for number in (100, 64, 1, 2, -3, 5, 5):
        append_varint(data, number)
    values, ends = read_varints(np.frombuffer(bytes(data), np.uint8), np.array([0, 2, 4, 5, 6, 7]))
    assert values.tolist() == [100, 64, 1, 2, -3, 5]
    assert ends.tolist() == [2, 4, 5, 6, 7, 8]


@pytest.mark.parametrize("raw", [b"\x80\x00", b"\x82\x80\x00", b"\xff\xff\xff\x00", b"\x80" * 9 + b"\x00"])
def test_a_number_spelled_longer_than_it_must_be_is_read(raw: bytes) -> None:
    values, ends = read_varints(np.frombuffer(raw, np.uint8), np.array([0]))
    assert (values[0], ends[0]) == read_varint(raw, 0)


def test_a_number_without_an_end_ends_nowhere_and_its_neighbours_are_read() -> None:
    data = np.frombuffer(b"\x02" + b"\xff" * 11 + b"\x04", np.uint8)
    values, ends = read_varints(data, np.array([0, 1, 12]))
    assert (values[0], values[2]) == (1, 2)
    assert ends.tolist() == [1, NOWHERE, 13]


def test_positions_behind_the_data_are_read_without_harm() -> None:
    data = np.frombuffer(b"\x02\x04", np.uint8)
    _, ends = read_varints(data, np.array([1, 2, 1000, NOWHERE]))
    assert ends.tolist() == [2, 3, 1001, NOWHERE + 1]


def test_no_positions_are_no_numbers() -> None:
    values, ends = read_varints(np.frombuffer(b"\x02", np.uint8), np.empty(0, np.int64))
    assert len(values) == len(ends) == 0
