"""How the text of an option is read; a ValueError names what to write instead."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, TypeAlias

from chronik.client.cluster import parse_bootstrap
from chronik.model.ids import TopicPartition
from chronik.spark.options.bounds import (
    EARLIEST_MARK,
    AtOffsets,
    AtTime,
    AtTimes,
    Bound,
    Earliest,
    Latest,
    parse_assignment,
    parse_partition_numbers,
)

_UNITS_MS: Final = {"": 1, "ms": 1, "s": 1_000, "m": 60_000, "min": 60_000, "h": 3_600_000, "d": 86_400_000}


class View(StrEnum):
    """What a row of the source is."""

    RECORDS = "records"
    BATCHES = "batches"
    RANGES = "ranges"
    PROBLEMS = "problems"


@dataclass(frozen=True, slots=True)
class Assigned:
    """These partitions and no others."""

    partitions: frozenset[TopicPartition]


@dataclass(frozen=True, slots=True)
class Subscribed:
    """All partitions of these topics."""

    topics: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Matching:
    """All partitions of the topics whose whole name matches, without internal topics."""

    pattern: str


@dataclass(frozen=True, slots=True)
class Everything:
    """All partitions in a directory of segment files."""


TopicChoice: TypeAlias = Assigned | Subscribed | Matching | Everything


def addresses(text: str) -> str:
    """Check addresses of brokers."""
    parse_bootstrap(text)
    return text


def flag(text: str) -> bool:
    """Read true or false."""
    if text.lower() not in ("true", "false"):
        raise ValueError("use true or false")
    return text.lower() == "true"


def whole(lowest: int) -> Callable[[str], int]:
    """Return a parser of whole numbers."""

    def parse(text: str) -> int:
        if not re.fullmatch(r"[+-]?\d+", text) or int(text) < lowest:
            raise ValueError(f"use a whole number of at least {lowest}")
        return int(text)

    return parse


def duration_ms(text: str) -> int:
    """Read a duration with Spark's units; without a unit it is in milliseconds."""
    match = re.fullmatch(r"(\d+)\s*([a-z]*)", text.lower())
    if match is None or match[2] not in _UNITS_MS:
        raise ValueError("use a time such as 500ms, 30s, 15m or 2h")
    return int(match[1]) * _UNITS_MS[match[2]]


def view(text: str) -> View:
    """Read the name of a view."""
    if text.lower() not in set(View):
        raise ValueError(f"use one of {', '.join(View)}")
    return View(text.lower())


def is_latest(text: str) -> bool:
    """Read what to do where no record is as late as a timestamp."""
    if text.lower() not in ("error", "latest"):
        raise ValueError("use error or latest")
    return text.lower() == "latest"


def topic(text: str) -> str:
    """Read the name of one topic."""
    if not text:
        raise ValueError("name the topic")
    return text


def topics(text: str) -> TopicChoice:
    """Read names of topics with commas between them."""
    names = tuple(sorted({name.strip() for name in text.split(",") if name.strip()}))
    if not names:
        raise ValueError("name one topic, or several with commas between them")
    return Subscribed(names)


def pattern(text: str) -> TopicChoice:
    """Read a regular expression for names of topics."""
    if not text:
        raise ValueError("give a regular expression")
    try:
        re.compile(text)
    except re.error as error:
        raise ValueError(f"not a regular expression ({error})") from None
    return Matching(text)


def assignment(text: str) -> TopicChoice:
    """Read partitions as JSON."""
    return Assigned(parse_assignment(text))


def offsets(text: str) -> Bound:
    """Read where each partition begins or ends."""
    if text.lower() == "earliest":
        return Earliest()
    if text.lower() == "latest":
        return Latest()
    if not text.startswith("{"):
        raise ValueError("use earliest, latest, or offsets as JSON")
    return AtOffsets(parse_partition_numbers(text, EARLIEST_MARK))


def times(text: str) -> Bound:
    """Read a timestamp for each partition."""
    return AtTimes(parse_partition_numbers(text, 0))


def time(text: str) -> Bound:
    """Read one timestamp for all partitions."""
    return AtTime(whole(0)(text))
