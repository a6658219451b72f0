"""A message's id: how it is written, read back, and told from what is none."""

import zlib

import numpy as np
import pytest

from chronik.audit.tables.ids import (
    HEADER_BYTES,
    NO_KEY,
    AuditId,
    checksum,
    decode_header,
    decode_headers,
    encode_header,
    key_hash,
)

LARGEST = (2**64 - 1, 2**32 - 1, 2**64 - 1, 2**63 - 1, 2**32 - 1)


@pytest.mark.parametrize("fields", [(0, 0, 0, 0, 0), LARGEST, (0xC0FFEE, 3, 17, -5, 9)])
def test_what_a_header_says_is_read_back(fields: tuple[int, int, int, int, int]) -> None:
    stamp = decode_header(encode_header(*fields))
    assert stamp == fields


def test_id_has_a_text_form_that_is_read_back() -> None:
    assert str(AuditId(0xABC, 3, 17)) == "0000000000000abc-p3-17"
    assert AuditId.parse("0000000000000ABC-p3-17") == AuditId(0xABC, 3, 17)


@pytest.mark.parametrize("text", ["", "abc", "abc-p3", "xyz-p3-17", "abc-p3-17-1", "abc-3-17", "abc-p٣-17"])
def test_text_that_is_no_id_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(ValueError, match="RUN-pPRODUCER-SEQUENCE"):
        AuditId.parse(text)


def test_many_headers_are_read_at_once_and_what_is_none_is_not_ours() -> None:
    headers = [encode_header(7, 1, 2, 3, 4), None, b"", bytes(HEADER_BYTES - 1), encode_header(*LARGEST)]
    ids, is_ours = decode_headers(headers)
    assert is_ours.tolist() == [True, False, False, False, True]
    assert ids[[0, 4]].tolist() == [(7, 1, 2, 3, 4), LARGEST]
    assert not np.any(ids[[1, 2, 3]]["run"])


def test_no_headers_are_read_as_none() -> None:
    ids, is_ours = decode_headers([])
    assert (len(ids), len(is_ours)) == (0, 0)


def test_checksum_is_of_the_value_continued_over_the_key() -> None:
    assert checksum(b"value", b"key") == zlib.crc32(b"valuekey")
    assert checksum(None, None) == checksum(b"", b"") == 0


def test_keys_have_different_hashes_and_none_is_the_hash_of_no_key() -> None:
    keys = [b"", b"\x00", *(str(number).encode() for number in range(10_000))]
    hashes = {key_hash(key) for key in keys}
    assert len(hashes) == len(keys)
    assert NO_KEY not in hashes
    assert key_hash(None) == NO_KEY
    assert all(0 < number < 2**63 for number in hashes)
