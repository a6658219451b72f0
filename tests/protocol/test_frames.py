"""Frames: sizes, headers of either kind, and record batches that are never copied."""

import pytest

from chronik.protocol.apis import SERVED, ApiKey, describe
from chronik.protocol.errors import ProtocolError
from chronik.protocol.frames import (
    RequestHeader,
    decode_request_header,
    decode_response_header,
    encode_request,
    encode_response,
)
from chronik.protocol.generated import request_header, response_header
from chronik.protocol.generated.api_versions import ApiVersionsRequest, ApiVersionsResponse
from chronik.protocol.generated.fetch import FetchableTopicResponse, FetchResponse, PartitionData
from chronik.protocol.generated.heartbeat import HeartbeatRequest, HeartbeatResponse
from chronik.protocol.generated.metadata import MetadataRequest, MetadataResponse
from chronik.protocol.generated.produce import PartitionProduceData, ProduceRequest, TopicProduceData
from chronik.protocol.wire import Chunk

METADATA = SERVED[ApiKey.METADATA]
API_VERSIONS = SERVED[ApiKey.API_VERSIONS]
FETCH = SERVED[ApiKey.FETCH]
PRODUCE = SERVED[ApiKey.PRODUCE]


def joined(chunks: list[Chunk]) -> memoryview:
    """The frame without its size, which must be right."""
    data = b"".join(chunks)
    assert int.from_bytes(data[:4], "big") == len(data) - 4
    return memoryview(data)[4:]


@pytest.mark.parametrize("client_id", [None, "", "me", "ü" * 200])
@pytest.mark.parametrize("version", [0, 8, 9, 13])
def test_a_request_header_is_read_as_it_was_written(version: int, client_id: str | None) -> None:
    view = joined(encode_request(METADATA, version, -7, client_id, MetadataRequest()))
    header = decode_request_header(view)
    assert header[:4] == (3, version, -7, client_id)
    assert MetadataRequest.decode(view[header.body_position :], version) == MetadataRequest()


@pytest.mark.parametrize("client_id", [None, "", "me"])
@pytest.mark.parametrize("version", [1, 12])
def test_a_request_header_is_that_of_the_generated_codec(version: int, client_id: str | None) -> None:
    header_version = 2 if version == 12 else 1
    expected = request_header.RequestHeader(3, version, 5, client_id).encode(header_version)
    view = joined(encode_request(METADATA, version, 5, client_id, MetadataRequest()))
    assert bytes(view).startswith(b"".join(expected))
    assert decode_request_header(view).body_position == len(b"".join(expected))


def test_tags_in_a_request_header_are_passed_over() -> None:
    tags = b"\x02" + b"\x00\x03abc" + b"\x64\x00"
    view = memoryview(b"\x00\x03\x00\x0c\x00\x00\x00\x05\x00\x02me" + tags)
    assert decode_request_header(view) == RequestHeader(3, 12, 5, "me", len(view))


def test_the_header_of_an_unknown_api_or_version_is_read_up_to_the_client_id() -> None:
    for key, version in ((999, 0), (3, 99), (18, 77), (0, 2), (-1, -1)):
        head = key.to_bytes(2, "big", signed=True) + version.to_bytes(2, "big", signed=True)
        view = memoryview(head + b"\x00\x00\x00\x05\x00\x02me\xff\xff\xff")
        assert decode_request_header(view) == RequestHeader(key, version, 5, "me", 12)


def test_a_malformed_request_header_is_refused() -> None:
    whole = b"\x00\x03\x00\x0c\x00\x00\x00\x05\x00\x02me" + b"\x01\x00\x03abc"
    assert decode_request_header(memoryview(whole)).client_id == "me"
    for size in range(len(whole)):
        with pytest.raises(ProtocolError):
            decode_request_header(memoryview(whole[:size]))
    with pytest.raises(ProtocolError):
        decode_request_header(memoryview(whole.replace(b"me", b"\xff\xff")))
    with pytest.raises(ProtocolError):
        decode_request_header(memoryview(whole[:12] + b"\xff" * 12))


@pytest.mark.parametrize("version", [1, 12, 99])
def test_a_client_id_longer_than_its_frame_is_refused(version: int) -> None:
    head = b"\x00\x03" + version.to_bytes(2, "big") + b"\x00\x00\x00\x05\x00\x03"
    with pytest.raises(ProtocolError, match="client id is longer"):
        decode_request_header(memoryview(head + b"me"))


@pytest.mark.parametrize("version", [8, 9])
def test_a_response_header_is_that_of_the_generated_codec(version: int) -> None:
    view = joined(encode_response(METADATA, version, 41, MetadataResponse()))
    correlation_id, position = decode_response_header(METADATA, version, view)
    expected = b"".join(response_header.ResponseHeader(41).encode(version - 8))
    assert (correlation_id, bytes(view[:position])) == (41, expected)
    assert MetadataResponse.decode(view[position:], version) == MetadataResponse()


@pytest.mark.parametrize("version", [0, 3, 4])
def test_an_api_versions_answer_has_header_0_in_every_version(version: int) -> None:
    view = joined(encode_response(API_VERSIONS, version, 9, ApiVersionsResponse()))
    assert decode_response_header(API_VERSIONS, version, view) == (9, 4)
    assert ApiVersionsResponse.decode(view[4:], version) == ApiVersionsResponse()


def test_a_malformed_response_header_is_refused() -> None:
    for data in (b"", b"\0\0\0", b"\0\0\0\1", b"\0\0\0\1\1\0", b"\0\0\0\1\1\0\5ab", b"\0\0\0\1" + b"\xff" * 9):
        with pytest.raises(ProtocolError):
            decode_response_header(METADATA, 9, memoryview(data))


def test_an_api_that_is_not_served_can_be_asked_for() -> None:
    heartbeat = describe(HeartbeatRequest, HeartbeatResponse)
    view = joined(encode_request(heartbeat, 4, 1, "me", HeartbeatRequest(group_id="g")))
    assert bytes(view[:2]) == b"\x00\x0c"
    assert HeartbeatRequest.decode(view[13:], 4).group_id == "g"


def test_records_are_sent_without_being_copied() -> None:
    first, second = memoryview(b"a" * 300), b"b" * 20
    partitions = [PartitionData(0, records=first), PartitionData(1, records=[second, first]), PartitionData(2)]
    response = FetchResponse(responses=[FetchableTopicResponse(topic="t", partitions=partitions)])
    chunks = encode_response(FETCH, 12, 1, response)
    assert [chunk is first or chunk is second for chunk in chunks] == [False, True, False, True, True, False]
    view = joined(chunks)
    again = FetchResponse.decode(view[5:], 12).responses[0].partitions
    assert [part.records for part in again] == [first, bytes(second) + bytes(first), None]


@pytest.mark.parametrize("version", [3, 9, 13])
def test_received_records_are_a_view_of_the_frame(version: int) -> None:
    topic = TopicProduceData(partition_data=[PartitionProduceData(0, b"x" * 500)])
    view = joined(encode_request(PRODUCE, version, 1, None, ProduceRequest(acks=1, topic_data=[topic])))
    body = view[decode_request_header(view).body_position :]
    records = ProduceRequest.decode(body, version).topic_data[0].partition_data[0].records
    assert isinstance(records, memoryview)
    assert records.obj is view.obj


def test_an_empty_batch_is_not_a_chunk_and_not_null() -> None:
    response = FetchResponse(responses=[FetchableTopicResponse(topic="t", partitions=[PartitionData(records=b"")])])
    chunks = response.encode(12)
    assert len(chunks) == 1
    assert FetchResponse.decode(memoryview(chunks[0]), 12).responses[0].partitions[0].records == b""


def test_a_request_for_versions_carries_the_software_only_from_version_3() -> None:
    request = ApiVersionsRequest("chronik", "1")
    assert len(joined(encode_request(API_VERSIONS, 0, 1, None, request))) == 10
    assert ApiVersionsRequest.decode(joined(encode_request(API_VERSIONS, 3, 1, None, request))[11:], 3) == request
