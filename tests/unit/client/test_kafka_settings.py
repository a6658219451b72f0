"""Settings by Kafka's names and librdkafka's, for client and group together."""

import pytest

from chronik.client.errors import SettingsRefusedError
from chronik.client.groups.settings import GROUP_SETTINGS
from chronik.client.kafka_settings import LIBRDKAFKA_NAMES, given_settings
from chronik.client.settings import KNOWN


def test_settings_of_client_group_and_address_are_separated() -> None:
    given = given_settings(
        {"linger.ms": "7", "session.timeout.ms": "9000", "bootstrap.servers": "h:1", "group.id": "g"},
        {"request.timeout.ms": "123"},
    )
    assert (given.client.linger_ms, given.client.request_timeout_ms) == (7, 123)
    assert given.group.session_timeout_ms == 9000
    assert (given.bootstrap, given.group_id) == ("h:1", "g")
    assert given.names == {"linger.ms", "session.timeout.ms", "bootstrap.servers", "group.id"}


def test_names_of_librdkafka_mean_the_settings_of_kafka_and_win_over_defaults() -> None:
    given = given_settings({"socket.timeout.ms": "5", "request.required.acks": "1"}, {"request.timeout.ms": "123"})
    assert (given.client.request_timeout_ms, given.client.acks) == (5, 1)


@pytest.mark.parametrize(
    ("text", "reset"), [("smallest", "earliest"), ("end", "latest"), ("error", "none"), ("earliest", "earliest")]
)
def test_values_of_librdkafka_for_auto_offset_reset_are_understood(text: str, reset: str) -> None:
    assert given_settings({"auto.offset.reset": text}).group.offset_reset == reset


def test_every_name_of_librdkafka_stands_for_one_that_is_known() -> None:
    known = {*KNOWN, *GROUP_SETTINGS, "bootstrap.servers"}
    assert set(LIBRDKAFKA_NAMES.values()) <= known
    assert not set(LIBRDKAFKA_NAMES) & known


def test_every_problem_of_every_kind_is_reported_at_once_with_the_nearest_name() -> None:
    with pytest.raises(SettingsRefusedError) as refused:
        given_settings(
            {"linger.ms": "x", "sesion.timeout.ms": "1", "heartbeat.interval.ms": "-1", "security.protocol": "SSL"}
        )
    told = refused.value.what
    assert "linger.ms=x" in told
    assert "'sesion.timeout.ms' (did you mean 'session.timeout.ms'?)" in told
    assert "heartbeat.interval.ms=-1" in told
    assert "PLAINTEXT only" in told
