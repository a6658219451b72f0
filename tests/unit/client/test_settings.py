"""Client settings have Kafka's names, and every problem is told at once."""

import pytest

from chronik.client.cluster import parse_bootstrap
from chronik.client.errors import SettingsRefusedError
from chronik.client.settings import ClientSettings, client_settings


def test_kafkas_names_set_what_they_mean() -> None:
    settings = client_settings({"acks": "all", "linger.ms": "0", "compression.type": "ZSTD", "batch.size": "10"})
    assert (settings.acks, settings.linger_ms, settings.codec, settings.batch_bytes) == (-1, 0, "zstd", 10)


def test_nothing_given_is_the_defaults() -> None:
    assert client_settings({}) == ClientSettings()


def test_all_problems_are_named_at_once_with_the_nearest_name() -> None:
    with pytest.raises(SettingsRefusedError) as refused:
        client_settings({"linger": "5", "acks": "2", "batch.size": "many"})
    assert "'linger.ms'" in refused.value.what
    assert "acks=2" in refused.value.what
    assert "batch.size=many" in refused.value.what


@pytest.mark.parametrize("other", [{"acks": "1"}, {"max.in.flight.requests.per.connection": "6"}])
def test_idempotence_refuses_settings_that_would_break_it(other: dict[str, str]) -> None:
    with pytest.raises(SettingsRefusedError, match=r"enable\.idempotence"):
        client_settings({"enable.idempotence": "true", **other})


def test_bootstrap_list_takes_names_ports_and_bracketed_addresses() -> None:
    assert parse_bootstrap("a:1, b ,[::1]:9,[::2]") == [("a", 1), ("b", 9092), ("::1", 9), ("::2", 9092)]


@pytest.mark.parametrize("text", ["", " , ", "a:b", "a:0", "a:65536", ":9092"])
def test_bootstrap_list_that_names_no_address_is_refused(text: str) -> None:
    with pytest.raises(SettingsRefusedError):
        parse_bootstrap(text)
