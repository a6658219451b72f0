"""Every advertised version of every API is answered, and what is not advertised is refused in the one right way."""

from collections.abc import Iterator
from struct import pack
from typing import Any
from uuid import UUID

import pytest

from chronik.model.errors import ErrorCode
from chronik.protocol.apis import SERVED, Api, ApiKey
from chronik.protocol.frames import decode_response_header
from chronik.protocol.generated.api_versions import ApiVersionsRequest, ApiVersionsResponse
from chronik.protocol.generated.fetch import FetchRequest
from chronik.protocol.generated.find_coordinator import FindCoordinatorRequest
from chronik.protocol.generated.metadata import MetadataResponse
from chronik.protocol.wire import Struct
from tests.brokers import BrokerProcess
from tests.regressions.requests_of_each_api import ASK, REFUSED, commit_to, groups_needed, topics_needed
from tests.regressions.wire import Wire, stored_records

ADVERTISED_AND_REFUSED = {(ApiKey.PRODUCE, version) for version in (0, 1, 2)}
EVERY = [(api, version) for api in SERVED.values() for version in range(api.version_min, api.version_max + 1)]


def error_codes(message: Any) -> Iterator[int]:
    """Every error code in an answer, at any depth."""
    if isinstance(message, list):
        for item in message:
            yield from error_codes(item)
    elif isinstance(message, Struct):
        for name in message.__slots__:
            value = getattr(message, name)
            if name.endswith("error_code"):
                yield value
            else:
                yield from error_codes(value)


@pytest.fixture(scope="module")
def prepared(session_broker: BrokerProcess) -> tuple[str, UUID]:
    """The name and id of a topic that holds a record, with those that the requests change beside it."""
    name = "every-version"
    with Wire(session_broker.bootstrap) as wire:
        topic_id = wire.create_topic(name, 2)
        wire.append(name, b"a record")
        for other in topics_needed(name, range(1, 7)):
            wire.create_topic(other)
        groups = groups_needed(name, range(3))
        found = wire.call(ApiKey.FIND_COORDINATOR, 4, FindCoordinatorRequest("", 0, groups))
        assert set(error_codes(found)) == {ErrorCode.NONE}
        for group in groups:
            committed = wire.call(ApiKey.OFFSET_COMMIT, 8, commit_to(group, name))
            assert set(error_codes(committed)) == {ErrorCode.NONE}
    return name, topic_id


@pytest.mark.parametrize(("api", "version"), EVERY, ids=[f"{api.name}-{version}" for api, version in EVERY])
def test_every_version_of_every_api_is_answered_as_it_should_be(
    shared_broker: BrokerProcess, prepared: tuple[str, UUID], api: Api, version: int
) -> None:
    """Rule 49: the answer to a meaningful request decodes to its last byte; an error in it is the documented one."""
    with Wire(shared_broker.bootstrap) as wire:
        response = wire.call(api.key, version, ASK[api.key](*prepared, version))
    codes = list(error_codes(response))
    refused = REFUSED.get(api.key)
    if refused is not None:
        assert refused in codes, response
    assert set(codes) <= {ErrorCode.NONE, refused}, response
    # Version 0 lists client metrics resources only, and there are none.
    if (api.key, version) != (ApiKey.LIST_CONFIG_RESOURCES, 0):
        assert response != api.response(), "an answer that says nothing proves nothing"


@pytest.mark.parametrize("version", range(4, 19))
def test_every_version_of_fetch_gives_the_records(
    shared_broker: BrokerProcess, prepared: tuple[str, UUID], version: int
) -> None:
    """Rule 49: by name or by id, with a session or without, the records come."""
    request = ASK[ApiKey.FETCH](*prepared, version)
    assert isinstance(request, FetchRequest)
    with Wire(shared_broker.bootstrap) as wire:
        for session_epoch in (-1, 0):
            request.session_epoch = session_epoch if version >= 7 else -1
            data = wire.call(ApiKey.FETCH, version, request).responses[0].partitions[0]
            assert stored_records(data.records)[0].value == b"a record"


def test_the_advertised_ranges_are_those_of_the_table(shared_broker: BrokerProcess) -> None:
    with Wire(shared_broker.bootstrap) as wire:
        for version in range(5):
            answer = wire.call(ApiKey.API_VERSIONS, version, ApiVersionsRequest("wire", "1.0"))
            told = {key.api_key: (key.min_version, key.max_version) for key in answer.api_keys}
            assert told == {key: (api.advertised_min, api.version_max) for key, api in SERVED.items()}


@pytest.mark.parametrize("version", [5, 99, 32_767])
def test_an_unknown_version_of_api_versions_is_answered_in_version_0(
    shared_broker: BrokerProcess, version: int
) -> None:
    """A client newer than the broker learns what it may say, on the connection that it has."""
    api = SERVED[ApiKey.API_VERSIONS]
    header = pack(">hhih", ApiKey.API_VERSIONS, version, 4711, 4) + b"wire"
    with Wire(shared_broker.bootstrap) as wire:
        wire.send_bytes(pack(">i", len(header) + 3) + header + b"\0\1\1")
        frame = memoryview(wire.receive_frame())
        correlation_id, position = decode_response_header(api, 0, frame)
        answer = ApiVersionsResponse.decode(frame[position:], 0)
        assert correlation_id == 4711
        assert answer.error_code == ErrorCode.UNSUPPORTED_VERSION
        own = [key for key in answer.api_keys if key.api_key == ApiKey.API_VERSIONS]
        assert [(key.min_version, key.max_version) for key in own] == [(api.advertised_min, api.version_max)]
        assert wire.call(ApiKey.API_VERSIONS, 0, ApiVersionsRequest()).error_code == ErrorCode.NONE


def not_served() -> Iterator[tuple[int, int]]:
    for key, api in SERVED.items():
        if key != ApiKey.API_VERSIONS:
            yield key, api.version_max + 1
            yield key, api.version_min - 1
    yield from ((key, 0) for key in ApiKey if key not in SERVED)
    yield from ((key, 0) for key in (-1, 999, 32_767))


def test_what_is_not_served_closes_the_connection_and_the_broker_goes_on(shared_broker: BrokerProcess) -> None:
    """There is no schema to answer in: APIs and versions outside the table, Produce 0 to 2 among them."""
    asked = sorted({*not_served(), *ADVERTISED_AND_REFUSED})
    assert len(asked) > 60
    for key, version in asked:
        with Wire(shared_broker.bootstrap) as wire:
            header = pack(">hhih", key, version, 1, -1)
            wire.send_bytes(pack(">i", len(header) + 20) + header + bytes(20))
            assert wire.is_closed_by_broker(), (key, version)
    with Wire(shared_broker.bootstrap) as wire:
        assert wire.call(ApiKey.API_VERSIONS, 0, ApiVersionsRequest()).error_code == ErrorCode.NONE


@pytest.mark.parametrize("version", range(9, 14))
def test_librdkafkas_four_byte_null_asks_for_all_topics(
    shared_broker: BrokerProcess, prepared: tuple[str, UUID], version: int
) -> None:
    """librdkafka writes a null of four bytes where flexible versions have one, and Kafka lets it pass."""
    api = SERVED[ApiKey.METADATA]
    header = pack(">hhih", ApiKey.METADATA, version, 9, -1) + b"\0"
    flags = bytes([1, 0, 0]) if version < 11 else bytes([1, 0])
    body = bytes(4) + flags + b"\0"
    with Wire(shared_broker.bootstrap) as wire:
        wire.send_bytes(pack(">i", len(header) + len(body)) + header + body)
        frame = memoryview(wire.receive_frame())
        _, position = decode_response_header(api, version, frame)
        answer = MetadataResponse.decode(frame[position:], version)
    assert prepared[0] in {topic.name for topic in answer.topics}
