"""Whatever the bytes are, decoding gives a message or a ProtocolError, and takes no more memory than they justify."""

import random
import struct
import tracemalloc
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, seed, settings

from chronik.protocol.errors import ProtocolError, UnsupportedVersionError
from chronik.protocol.generated.fetch import FetchRequest, FetchResponse
from chronik.protocol.generated.metadata import MetadataRequest, MetadataRequestTopic
from chronik.protocol.generated.produce import PartitionProduceData, ProduceRequest, TopicProduceData
from chronik.protocol.wire import Message, varint
from tests.protocol.kio_judge import kio_bytes, kio_class, values
from tests.protocol.messages import all_messages, served_messages

CASES = [
    pytest.param(message, version, id=f"{message.__name__}-{version}")
    for message in served_messages()
    for version in message.versions
]
SAMPLES: dict[tuple[str, int], list[bytes]] = {}
SAMPLES_OF_EACH = 2
SAMPLE_BYTES_MAX = 400
HUGE_COUNTS = (
    b"\x7f\xff\xff\xff",
    b"\x80\x00\x00\x00",
    b"\xff\xff\xff\xff\x0f",
    b"\xff\xff\xff\xff\x07",
    b"\xff\xff\xff\xff\xff\x01",
)


def samples(message: type[Message], version: int) -> list[bytes]:
    """A few well-formed messages of moderate size, the same in every run."""
    key = (message.__name__, version)
    if key not in SAMPLES:
        SAMPLES[key] = make_samples(message, version)
    return SAMPLES[key]


def make_samples(message: type[Message], version: int) -> list[bytes]:
    found: list[bytes] = [b"".join(message().encode(version))]

    @seed(1)
    @settings(max_examples=8, database=None, deadline=None, suppress_health_check=list(HealthCheck))
    @given(values(kio_class(message, version)))
    def collect(value: Any) -> None:
        found.append(kio_bytes(value))

    collect()
    moderate = sorted((data for data in found if len(data) <= SAMPLE_BYTES_MAX), key=len)
    return moderate[-SAMPLES_OF_EACH:]


def survives(message: type[Message], version: int, data: bytes) -> bool:
    """Decode hostile bytes; any exception but ProtocolError fails the test."""
    try:
        message.decode(memoryview(data), version)
    except ProtocolError:
        return False
    return True


def mutations(data: bytes, dice: random.Random) -> Iterator[bytes]:
    for _ in range(40):
        changed = bytearray(data)
        for _ in range(dice.randint(1, 4)):
            if changed:
                changed[dice.randrange(len(changed))] = dice.choice((0, 1, 127, 128, 255, dice.randrange(256)))
        if dice.random() < 0.3:
            position = dice.randint(0, len(changed))
            changed[position : position + dice.randint(0, 4)] = dice.choice(HUGE_COUNTS)
        yield bytes(changed)
    yield from (dice.randbytes(dice.randint(0, 80)) for _ in range(10))


@pytest.mark.parametrize(("message", "version"), CASES)
def test_a_message_cut_short_anywhere_is_refused(message: type[Message], version: int) -> None:
    for data in samples(message, version):
        for size in range(len(data)):
            assert not survives(message, version, data[:size]), (size, data)


@pytest.mark.parametrize(("message", "version"), CASES)
def test_a_message_with_bytes_left_over_is_refused(message: type[Message], version: int) -> None:
    for data in samples(message, version):
        assert survives(message, version, data)
        assert not survives(message, version, data + b"\0")


@pytest.mark.parametrize(("message", "version"), CASES)
def test_mutated_bytes_raise_nothing_but_protocol_errors(message: type[Message], version: int) -> None:
    dice = random.Random(f"{message.__name__} {version}")
    for data in samples(message, version):
        for changed in mutations(data, dice):
            survives(message, version, changed)


def test_random_bytes_raise_nothing_but_protocol_errors_in_any_message() -> None:
    dice = random.Random(5)
    for message in all_messages():
        for version in message.versions:
            for _ in range(8):
                survives(message, version, dice.randbytes(dice.randint(0, 40)))
                survives(message, version, bytes(dice.choices((0, 1, 2, 255, 128), k=dice.randint(0, 40))))


def test_huge_counts_at_every_position_allocate_no_more_than_the_frame_justifies() -> None:
    frames = [(m, v, d) for m in served_messages() for v in (m.versions[0], m.versions[-1]) for d in samples(m, v)]
    tracemalloc.start()
    try:
        for message, version, data in frames:
            for position in range(0, len(data), 5):
                for count in HUGE_COUNTS:
                    survives(message, version, data[:position] + count + data[position + len(count) :])
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 4_000_000


def test_a_frame_of_nothing_but_least_elements_costs_a_bounded_multiple_of_its_size() -> None:
    count = 100_000
    body = varint(count + 1) + b"\x01\0" * count + b"\0\0\0\0"
    tracemalloc.start()
    try:
        assert survives(MetadataRequest, 9, body)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < len(body) * 60


@pytest.mark.parametrize("version", [4, 12])
def test_a_count_that_the_rest_of_the_frame_cannot_hold_is_refused_before_any_element_is_read(version: int) -> None:
    many = b"\x00\x98\x96\x80" if version == 4 else varint(10_000_001)
    with pytest.raises(ProtocolError, match=r"MetadataRequest.topics is longer"):
        MetadataRequest.decode(memoryview(many + b"\0" * 100), version)


@pytest.mark.parametrize(("tail", "place"), [(b"\1\0\3\4ab", "FetchRequest.cluster_id"), (b"\1\7\3ab", "FetchRequest")])
def test_a_length_one_more_than_what_is_left_is_refused_where_it_stands(tail: bytes, place: str) -> None:
    head = b"".join(FetchRequest().encode(12))[:-1]
    with pytest.raises(ProtocolError, match=f"{place} is longer than what is left"):
        FetchRequest.decode(memoryview(head + tail), 12)


def test_text_that_is_not_utf_8_is_refused() -> None:
    good = b"".join(MetadataRequest(topics=[MetadataRequestTopic(name="ab")]).encode(9))
    assert MetadataRequest.decode(memoryview(good), 9).topics is not None
    for bad in (b"\xff\xfe", b"\xc3(", b"\xe2\x82", b"a\xc3"):
        with pytest.raises(ProtocolError):
            MetadataRequest.decode(memoryview(good.replace(b"ab", bad)), 9)
    with pytest.raises(ProtocolError):
        MetadataRequest.decode(memoryview(good.replace(b"\x03ab", b"\x04\xed\xa0\x80")), 9)


def test_null_is_refused_where_the_version_has_no_null() -> None:
    with pytest.raises(ProtocolError, match="may not be null"):
        ProduceRequest.decode(memoryview(b"\0" + b"\0\1" + b"\0\0\0\0" + b"\0" + b"\0"), 9)
    with pytest.raises(ProtocolError, match="may not be null"):
        MetadataRequest.decode(memoryview(struct.pack(">i", -1)), 0)
    assert MetadataRequest.decode(memoryview(struct.pack(">i", -1)), 1).topics is None


def test_a_length_below_minus_one_is_null_and_never_a_slice_from_the_end() -> None:
    request = ProduceRequest(topic_data=[TopicProduceData(name="t", partition_data=[PartitionProduceData(0, b"abcd")])])
    data = b"".join(request.encode(3)).replace(b"\0\0\0\4abcd", struct.pack(">i", -3))
    assert ProduceRequest.decode(memoryview(data), 3).topic_data[0].partition_data[0].records is None


def test_a_known_tag_must_be_used_exactly() -> None:
    head = b"".join(FetchRequest().encode(12))[:-1]
    assert FetchRequest.decode(memoryview(head + b"\1\0\3\3ab"), 12).cluster_id == "ab"
    for size in (2, 4):
        with pytest.raises(ProtocolError):
            FetchRequest.decode(memoryview(head + bytes((1, 0, size)) + b"\3ab" + b"\0" * (size - 3)), 12)


def test_the_last_of_a_repeated_tag_holds_and_the_order_of_tags_does_not_matter() -> None:
    head = b"".join(FetchRequest().encode(12))[:-1]
    tags = b"\3" + b"\7\1\0" + b"\0\3\3ab" + b"\0\3\3cd"
    assert FetchRequest.decode(memoryview(head + tags), 12).cluster_id == "cd"


def test_a_variable_length_integer_of_more_than_32_bits_is_refused() -> None:
    for data in (b"\xff\xff\xff\xff\x1f", b"\xff\xff\xff\xff\xff\x01", b"\x80" * 12):
        with pytest.raises(ProtocolError, match="longer than 32 bits"):
            MetadataRequest.decode(memoryview(data), 9)


def test_a_version_that_a_message_does_not_have_is_refused_both_ways() -> None:
    for version in (-1, 3, 19, 32767):
        with pytest.raises(UnsupportedVersionError):
            FetchResponse.decode(memoryview(b""), version)
        with pytest.raises(UnsupportedVersionError):
            FetchResponse().encode(version)
