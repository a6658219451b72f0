"""Client settings with Kafka's names and meanings, checked all at once."""

import difflib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from chronik.client.errors import SettingsRefusedError
from chronik.protocol.constants import ACKS_ALL

_MIB: Final = 1024 * 1024


@dataclass(frozen=True, slots=True)
class ClientSettings:
    """Client settings; times in milliseconds, sizes in bytes."""

    client_id: str = "chronik"
    connect_timeout_ms: int = 5_000
    request_timeout_ms: int = 30_000
    retry_timeout_ms: int = 60_000
    retry_backoff_ms: int = 50
    retry_backoff_ms_max: int = 1_000
    metadata_age_ms_max: int = 300_000
    frame_bytes_max: int = 128 * _MIB

    acks: int = ACKS_ALL
    idempotent: bool = False
    linger_ms: int = 5
    batch_bytes: int = 256 * 1024
    request_bytes_max: int = 16 * _MIB
    buffer_bytes: int = 32 * _MIB
    in_flight_max: int = 5
    codec: str = "none"
    delivery_timeout_ms: int = 120_000

    fetch_min_bytes: int = 1
    fetch_bytes_max: int = 50 * _MIB
    partition_fetch_bytes_max: int = _MIB
    fetch_wait_ms_max: int = 500
    fetched_ahead_max: int = 4
    read_committed: bool = False


CODEC_NAMES: Final = ("none", "gzip", "snappy", "lz4", "zstd")


def whole_number(lowest: int, highest: int) -> Callable[[str], int]:
    """Parse a whole number within bounds."""

    def parse(text: str) -> int:
        number = int(text)
        if not lowest <= number <= highest:
            raise ValueError(f"{number} is not between {lowest} and {highest}")
        return number

    return parse


def flag(text: str) -> bool:
    """Parse true or false."""
    if text.lower() not in ("true", "false"):
        raise ValueError("use true or false")
    return text.lower() == "true"


def _acks(text: str) -> int:
    known = {"all": -1, "-1": -1, "0": 0, "1": 1}
    if text.lower() not in known:
        raise ValueError("use 0, 1 or all")
    return known[text.lower()]


def _codec(text: str) -> str:
    if text.lower() not in CODEC_NAMES:
        raise ValueError(f"use one of {', '.join(CODEC_NAMES)}")
    return text.lower()


def _isolation(text: str) -> bool:
    known = {"read_committed": True, "read_uncommitted": False}
    if text.lower() not in known:
        raise ValueError("use read_committed or read_uncommitted")
    return known[text.lower()]


_DAY_MS: Final = 86_400_000
_INT_MAX: Final = 2**31 - 1
_time = whole_number(0, _DAY_MS)
_positive_time = whole_number(1, _DAY_MS)
_size = whole_number(1, _INT_MAX)

Table: TypeAlias = Mapping[str, tuple[str, Callable[[str], Any]]]
"""By Kafka's name of a setting: its attribute and the parser of its text."""

KNOWN: Final[Table] = {
    "client.id": ("client_id", str),
    "socket.connection.setup.timeout.ms": ("connect_timeout_ms", _positive_time),
    "request.timeout.ms": ("request_timeout_ms", _positive_time),
    "default.api.timeout.ms": ("retry_timeout_ms", _positive_time),
    "retry.backoff.ms": ("retry_backoff_ms", _time),
    "retry.backoff.max.ms": ("retry_backoff_ms_max", _time),
    "metadata.max.age.ms": ("metadata_age_ms_max", _positive_time),
    "receive.message.max.bytes": ("frame_bytes_max", whole_number(1024, _INT_MAX)),
    "acks": ("acks", _acks),
    "enable.idempotence": ("idempotent", flag),
    "linger.ms": ("linger_ms", _time),
    "batch.size": ("batch_bytes", _size),
    "max.request.size": ("request_bytes_max", _size),
    "buffer.memory": ("buffer_bytes", _size),
    "max.in.flight.requests.per.connection": ("in_flight_max", whole_number(1, 1000)),
    "compression.type": ("codec", _codec),
    "delivery.timeout.ms": ("delivery_timeout_ms", _positive_time),
    "fetch.min.bytes": ("fetch_min_bytes", _size),
    "fetch.max.bytes": ("fetch_bytes_max", _size),
    "max.partition.fetch.bytes": ("partition_fetch_bytes_max", _size),
    "fetch.max.wait.ms": ("fetch_wait_ms_max", _time),
    "isolation.level": ("read_committed", _isolation),
}

_IDEMPOTENT_IN_FLIGHT_MAX: Final = 5


def client_settings(given: Mapping[str, str]) -> ClientSettings:
    """Return settings from Kafka's names; one error reports all problems."""
    values, problems = parsed_settings(given, KNOWN)
    if not problems:
        problems = _contradictions(settings := ClientSettings(**values))
        if not problems:
            return settings
    raise SettingsRefusedError("; ".join(problems), advice=f"Client settings are: {', '.join(sorted(KNOWN))}.")


def parsed_settings(given: Mapping[str, str], known: Table) -> tuple[dict[str, Any], list[str]]:
    """Parse settings by a table; return values by attribute, and the problems."""
    values: dict[str, Any] = {}
    problems: list[str] = []
    for name, text in given.items():
        if name not in known:
            problems.append(_unknown(name, known))
            continue
        attribute, parse = known[name]
        try:
            values[attribute] = parse(text)
        except ValueError as error:
            problems.append(f"{name}={text}: {error}")
    return values, problems


def _unknown(name: str, known: Table) -> str:
    near = difflib.get_close_matches(name, known, n=1)
    return f"unknown client setting {name!r}" + (f" (did you mean {near[0]!r}?)" if near else "")


def _contradictions(settings: ClientSettings) -> list[str]:
    problems = []
    if settings.idempotent and settings.acks != ACKS_ALL:
        problems.append("enable.idempotence=true needs acks=all")
    if settings.idempotent and settings.in_flight_max > _IDEMPOTENT_IN_FLIGHT_MAX:
        problems.append(
            f"enable.idempotence=true allows max.in.flight.requests.per.connection up to {_IDEMPOTENT_IN_FLIGHT_MAX}"
        )
    return problems
