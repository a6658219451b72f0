"""Each version of each message has the bytes that an independent codec gives it."""

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from chronik.protocol.wire import Message
from tests.protocol.kio_judge import differences, extended, kio_bytes, kio_class, values
from tests.protocol.messages import served_messages, wire_messages

SERVED_CASES = [(message, version) for message in served_messages() for version in message.versions]
OTHER_CASES = [
    (message, version)
    for message in wire_messages()
    if message not in served_messages()
    for version in message.versions
]


def named(cases: list[tuple[type[Message], int]]) -> list[Any]:
    return [pytest.param(*case, id=f"{case[0].__name__}-{case[1]}") for case in cases]


def check(message: type[Message], version: int, theirs: Any, unknown: bytes) -> None:
    """Bytes of kio's become our message and the same bytes again; unknown tags are passed over."""
    data = kio_bytes(theirs)
    ours = message.decode(memoryview(data), version)
    assert differences(ours, theirs) == []
    assert b"".join(ours.encode(version)) == data
    if message.first_flexible is not None and version >= message.first_flexible:
        longer = kio_bytes(extended(theirs, unknown))
        assert len(longer) > len(data)
        assert b"".join(message.decode(memoryview(longer), version).encode(version)) == data


def storm(message: type[Message], version: int, examples: int) -> None:
    unknown = st.binary(min_size=1, max_size=4) | st.just(b"z" * 200)

    @settings(
        max_examples=examples,
        derandomize=True,
        database=None,
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    )
    @given(values(kio_class(message, version)), unknown)
    def run(theirs: Any, tag: bytes) -> None:
        check(message, version, theirs, tag)

    run()


@pytest.mark.parametrize(("message", "version"), named(SERVED_CASES))
def test_an_advertised_version_has_the_bytes_that_kio_gives_it(message: type[Message], version: int) -> None:
    storm(message, version, 20)


@pytest.mark.parametrize(("message", "version"), named(OTHER_CASES))
def test_a_version_that_is_not_served_yet_has_the_bytes_that_kio_gives_it(message: type[Message], version: int) -> None:
    storm(message, version, 4)
