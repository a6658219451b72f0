"""The table of APIs: what is advertised, and which headers go with it."""

import pytest
from kio.schema.index import api_key_map

from chronik.model.errors import ErrorCode
from chronik.protocol.apis import (
    SERVED,
    Api,
    ApiKey,
    advertised_versions,
    request_header_version,
    response_header_version,
    unsupported_api_versions_response,
)
from chronik.protocol.generated.api_versions import ApiVersionsResponse
from tests.protocol.kio_judge import kio_class
from tests.protocol.messages import all_messages

CASES = [
    pytest.param(api, version, id=f"{api.name}-{version}")
    for api in SERVED.values()
    for version in api.request.versions
]


def test_the_ground_serves_these_apis() -> None:
    assert {0, 1, 2, 3, 10, 18, 19, 20, 21, 22, 23, 32, 33, 35, 37, 44, 60, 61, 74, 75} <= set(SERVED)


def test_what_a_kafka_without_security_answers_is_served() -> None:
    assert {17, 29, 30, 31, 34, 36, 38, 39, 40, 41, 43, 45, 46, 48, 49, 50, 51, 65, 66} <= set(SERVED)


def test_neither_transactional_writes_nor_telemetry_are_advertised() -> None:
    """A client learns at its first step, in FindCoordinator or InitProducerId, that there are no transactions."""
    transactions = {24, 25, 26, 27, 28}
    telemetry = {71, 72}
    assert not (transactions | telemetry) & set(SERVED)


def test_produce_is_advertised_from_0_and_understood_from_3() -> None:
    produce = SERVED[ApiKey.PRODUCE]
    assert (produce.advertised_min, produce.version_min, produce.version_max) == (0, 3, 13)
    assert [version for version in range(16) if produce.understands(version)] == list(range(3, 14))
    advertised = next(item for item in advertised_versions() if item.api_key == 0)
    assert (advertised.min_version, advertised.max_version) == (0, 13)


def test_only_produce_advertises_a_version_that_it_does_not_understand() -> None:
    odd = [api.name for api in SERVED.values() if api.advertised_min != api.version_min]
    assert odd == ["Produce"]


def test_versions_that_kafka_calls_unstable_are_not_advertised() -> None:
    assert SERVED[ApiKey.INIT_PRODUCER_ID].version_max == 5


def test_request_and_response_have_the_same_key_and_versions() -> None:
    for key, api in SERVED.items():
        assert api.request.api_key == api.response.api_key == key == api.key
        assert api.request.versions == api.response.versions


def test_every_key_has_the_name_of_its_messages() -> None:
    requests = {message.api_key: message.__name__ for message in all_messages() if message.__name__.endswith("Request")}
    names = {key.value: "".join(word.title() for word in key.name.split("_")) + "Request" for key in ApiKey}
    assert names == requests


@pytest.mark.parametrize(("api", "version"), CASES)
def test_headers_have_the_versions_that_kio_gives_them(api: Api, version: int) -> None:
    request, response = kio_class(api.request, version), kio_class(api.response, version)
    assert request_header_version(api, version) == request.__header_schema__.__version__
    assert response_header_version(api, version) == response.__header_schema__.__version__


def test_api_versions_answers_under_header_0_in_every_version() -> None:
    api = SERVED[ApiKey.API_VERSIONS]
    assert {response_header_version(api, version) for version in (0, 1, 2, 3, 4, 99)} == {0}
    assert [request_header_version(api, version) for version in range(5)] == [1, 1, 1, 2, 2]


def test_an_unknown_version_of_api_versions_is_answered_in_version_0_with_its_own_range() -> None:
    body = b"".join(unsupported_api_versions_response().encode(0))
    assert body == b"\x00\x23" + b"\x00\x00\x00\x01" + b"\x00\x12\x00\x00\x00\x04"
    answer = ApiVersionsResponse.decode(memoryview(body), 0)
    assert answer.error_code == ErrorCode.UNSUPPORTED_VERSION


def test_the_keys_are_those_of_an_independent_list() -> None:
    modules = {key: api.request.__module__.rpartition(".")[2] for key, api in SERVED.items()}
    assert modules == {key: api_key_map[key] for key in SERVED}
