"""Settings under Kafka's names or librdkafka's, for the client, its group, and the cluster's address."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, TypeVar

from chronik.client.errors import SettingsRefusedError
from chronik.client.groups.settings import GROUP_SETTINGS, GroupConsumerSettings, group_settings
from chronik.client.settings import KNOWN, ClientSettings, Table, client_settings, parsed_settings

S = TypeVar("S", ClientSettings, GroupConsumerSettings)

LIBRDKAFKA_NAMES: Final = {
    "metadata.broker.list": "bootstrap.servers",
    "socket.timeout.ms": "request.timeout.ms",
    "message.timeout.ms": "delivery.timeout.ms",
    "queue.buffering.max.ms": "linger.ms",
    "compression.codec": "compression.type",
    "request.required.acks": "acks",
    "topic.metadata.refresh.interval.ms": "metadata.max.age.ms",
    "fetch.wait.max.ms": "fetch.max.wait.ms",
    "fetch.message.max.bytes": "max.partition.fetch.bytes",
    "message.max.bytes": "max.request.size",
    "max.in.flight": "max.in.flight.requests.per.connection",
}
"""Settings with another name in librdkafka than in Kafka's Java client."""


_LIBRDKAFKA_RESETS: Final = {
    "smallest": "earliest",
    "beginning": "earliest",
    "largest": "latest",
    "end": "latest",
    "error": "none",
}


@dataclass(frozen=True, slots=True)
class GivenSettings:
    """Parsed settings; ``bootstrap`` and ``group_id`` are None if they were not given."""

    client: ClientSettings
    group: GroupConsumerSettings
    bootstrap: str | None = None
    group_id: str | None = None
    names: frozenset[str] = frozenset()
    """Kafka's names of all given settings."""


def _plaintext(text: str) -> str:
    if text.upper() != "PLAINTEXT":
        raise ValueError("this client speaks PLAINTEXT only")
    return text


_ELSEWHERE: Final[Table] = {
    "bootstrap.servers": ("bootstrap", str),
    "group.id": ("group_id", str),
    "security.protocol": ("protocol", _plaintext),
}


def given_settings(given: Mapping[str, str], defaults: Mapping[str, str] | None = None) -> GivenSettings:
    """Parse settings over defaults; the error for an unknown name suggests the nearest one."""
    named = dict(_as_kafka_says(name, text) for name, text in given.items())
    texts = {**(defaults or {}), **named}
    client, problems = _part(texts, KNOWN, client_settings, ClientSettings())
    group, more = _part(texts, GROUP_SETTINGS, group_settings, GroupConsumerSettings())
    elsewhere, others = parsed_settings({name: text for name, text in texts.items() if name in _ELSEWHERE}, _ELSEWHERE)
    aliases: Table = dict.fromkeys(LIBRDKAFKA_NAMES, ("", str))
    everything: Table = {**KNOWN, **GROUP_SETTINGS, **_ELSEWHERE, **aliases}
    _, unknown = parsed_settings({name: "" for name in texts if name not in everything}, everything)
    problems += [*more, *others, *unknown]
    if problems:
        advice = f"Client settings are: {', '.join(sorted({*KNOWN, *GROUP_SETTINGS, *_ELSEWHERE}))}."
        raise SettingsRefusedError("; ".join(problems), advice=advice)
    return GivenSettings(client, group, elsewhere.get("bootstrap"), elsewhere.get("group_id"), frozenset(named))


def _as_kafka_says(name: str, text: str) -> tuple[str, str]:
    if name == "auto.offset.reset":
        return name, _LIBRDKAFKA_RESETS.get(text, text)
    return LIBRDKAFKA_NAMES.get(name, name), text


def _part(
    texts: Mapping[str, str], table: Table, make: Callable[[Mapping[str, str]], S], default: S
) -> tuple[S, list[str]]:
    """Parse the settings of one kind, and return them with all problems."""
    try:
        return make({name: text for name, text in texts.items() if name in table}), []
    except SettingsRefusedError as error:
        return default, [error.what]
