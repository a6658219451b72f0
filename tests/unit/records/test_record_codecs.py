"""Codecs: read by others, reading others, and refusing to unfold without bound."""

import gzip
import random
import tracemalloc

import cramjam
import lz4.frame
import pytest
from aiokafka import codec as aiokafka_codec
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from chronik.records.codecs import Codec, CodecError, DecompressedTooLargeError, compress, decompress

unhurried = settings(max_examples=50, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
COMPRESSED = [Codec.GZIP, Codec.SNAPPY, Codec.LZ4, Codec.ZSTD]
LIMIT = 1 << 20
NOISE = random.Random(20_261_116).randbytes(100_000)
INDEPENDENT_BLOCKS = 0x20


@pytest.mark.parametrize("codec", list(Codec))
@unhurried
@given(st.binary(max_size=5_000), st.integers(1, 40))
def test_what_was_compressed_comes_back(codec: Codec, data: bytes, times: int) -> None:
    assert bytes(decompress(codec, compress(codec, data * times), LIMIT)) == data * times


@pytest.mark.parametrize("data", [b"", b"x", b"abc" * 100_000, NOISE], ids=["nothing", "a byte", "repeats", "noise"])
def test_other_implementations_read_ours(data: bytes) -> None:
    assert gzip.decompress(compress(Codec.GZIP, data)) == data
    assert lz4.frame.decompress(compress(Codec.LZ4, data)) == data
    assert bytes(aiokafka_codec.zstd_decode(compress(Codec.ZSTD, data))) == data
    if data:
        assert bytes(aiokafka_codec.snappy_decode(compress(Codec.SNAPPY, data))) == data


@pytest.mark.parametrize("data", [b"x", b"abc" * 100_000, NOISE], ids=["a byte", "repeats", "noise"])
def test_ours_reads_other_implementations(data: bytes) -> None:
    foreign = [
        (Codec.GZIP, gzip.compress(data)),
        (Codec.LZ4, lz4.frame.compress(data, block_linked=False)),
        (Codec.LZ4, lz4.frame.compress(data, block_linked=True, content_checksum=True, store_size=True)),
        (Codec.LZ4, lz4.frame.compress(data, block_checksum=True, block_size=lz4.frame.BLOCKSIZE_MAX4MB)),
        (Codec.SNAPPY, aiokafka_codec.snappy_encode(data)),
        (Codec.SNAPPY, bytes(cramjam.snappy.compress_raw(data))),
        (Codec.ZSTD, bytes(aiokafka_codec.zstd_encode(data))),
    ]
    for codec, packed in foreign:
        assert bytes(decompress(codec, packed, LIMIT)) == data


def test_lz4_blocks_do_not_depend_on_each_other_because_java_refuses_such() -> None:
    assert compress(Codec.LZ4, b"abc" * 100_000)[4] & INDEPENDENT_BLOCKS


@pytest.mark.parametrize("codec", list(Codec))
def test_the_limit_is_exact(codec: Codec) -> None:
    packed = compress(codec, b"a" * 200_000)
    assert len(decompress(codec, packed, 200_000)) == 200_000
    with pytest.raises(DecompressedTooLargeError):
        decompress(codec, packed, 199_999)


@pytest.mark.parametrize("codec", COMPRESSED)
def test_a_bomb_is_refused_before_it_takes_memory(codec: Codec) -> None:
    bomb = compress(codec, bytes(64 << 20))
    tracemalloc.start()
    with pytest.raises(DecompressedTooLargeError):
        decompress(codec, bomb, LIMIT)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 3 * LIMIT


def test_a_snappy_block_that_lies_about_its_size_is_refused_without_allocating() -> None:
    with pytest.raises(DecompressedTooLargeError):
        decompress(Codec.SNAPPY, b"\xff\xff\xff\xff\x0f", LIMIT)


@pytest.mark.parametrize("codec", COMPRESSED)
@pytest.mark.parametrize("spoil", [lambda p: p[:-1], lambda p: p[: len(p) // 2], lambda p: b"", lambda p: b"junk" * 9])
def test_nonsense_is_one_kind_of_error(codec: Codec, spoil) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(CodecError):
        decompress(codec, spoil(compress(codec, NOISE[:1000])), LIMIT)


@pytest.mark.parametrize("codec", COMPRESSED)
@unhurried
@given(st.binary(max_size=100))
def test_any_bytes_decompress_or_raise_the_codecs_error(codec: Codec, data: bytes) -> None:
    framed = compress(codec, b"some payload")[:18] + data
    for junk in (data, framed):
        try:
            assert len(decompress(codec, junk, LIMIT)) <= LIMIT
        except CodecError:
            pass
