"""Options read all at once: what a source or a sink is to do, or one error that names every problem.

Names are compared without regard to case, as Spark does.
"""

import difflib
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final, TypeAlias, TypeVar

from chronik.client.errors import ClientError
from chronik.model.ids import TopicPartition
from chronik.spark.options import texts
from chronik.spark.options.bounds import (
    EARLIEST_MARK,
    LATEST_MARK,
    AtOffsets,
    AtTime,
    AtTimes,
    Bound,
    Earliest,
    Latest,
    parse_assignment,
    parse_partition_numbers,
)
from chronik.spark.options.kafka_settings import SINK_REFUSED, SOURCE_REFUSED, sort_kafka_settings
from chronik.spark.options.table import FROM_SPARK, OPTIONS
from chronik.spark.planning.slices import View
from chronik.spark.planning.tasks import TASKS_PER_CORE

T = TypeVar("T")

_CHOICES: Final = ("assign", "subscribe", "subscribePattern")
_ENDINGS: Final = ("endingOffsets", "endingOffsetsByTimestamp", "endingTimestamp")


class OptionsRefusedError(ValueError):
    """Options that cannot be followed; the message names each of them and its remedy."""


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
    """All partitions of the topics whose whole name matches, internal ones left out."""

    pattern: str


@dataclass(frozen=True, slots=True)
class Everything:
    """All that a directory of segment files holds."""


TopicChoice: TypeAlias = Assigned | Subscribed | Matching | Everything


@dataclass(frozen=True, slots=True)
class SourceOptions:
    """What a reading query asked for."""

    bootstrap: str
    choice: TopicChoice
    starting: Bound
    ending: Bound = field(default_factory=Latest)
    unmatched_time_is_latest: bool = False
    view: View = View.RECORDS
    path: str | None = None
    include_headers: bool = False
    fail_on_data_loss: bool = True
    read_committed: bool = False
    poll_timeout_ms: int = 120_000
    retries: int = 3
    retry_interval_ms: int = 10
    tasks_min: int | None = None
    task_records_max: int | None = None
    tasks_aimed_at: int = TASKS_PER_CORE
    trigger_offsets_max: int | None = None
    trigger_offsets_min: int | None = None
    trigger_delay_ms_max: int = 900_000
    client_options: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SinkOptions:
    """What a writing query asked for."""

    bootstrap: str
    topic: str | None = None
    replay_headers: bool = False
    client_options: Mapping[str, str] = field(default_factory=dict)


class _Given:
    """The options as texts, and what was found wrong with them."""

    def __init__(self, options: Mapping[str, str]) -> None:
        self.texts = {name.lower(): text for name, text in options.items()}
        self.problems: list[str] = []

    def __contains__(self, name: str) -> bool:
        return name.lower() in self.texts

    def read(self, name: str, parse: Callable[[str], T], *, default: T) -> T:
        text = self.texts.get(name.lower())
        if text is None:
            return default
        try:
            return parse(text.strip())
        except (ValueError, ClientError) as error:
            self.problems.append(f"{name}={text!r}: {error}")
            return default

    def kafka(self, refused: Mapping[str, str]) -> dict[str, str]:
        own = ("kafka.bootstrap.servers",)
        given = {
            name.removeprefix("kafka."): text
            for name, text in self.texts.items()
            if name.startswith("kafka.") and name not in own
        }
        passed, problems = sort_kafka_settings(given, refused)
        self.problems += problems
        return passed

    def bootstrap(self) -> str:
        if "kafka.bootstrap.servers" not in self:
            self.problems.append("kafka.bootstrap.servers is missing: give host:port of one or more brokers")
        return self.read("kafka.bootstrap.servers", texts.addresses, default="")

    def refuse_unknown(self) -> None:
        known = {option.name.lower(): option.name for option in OPTIONS}
        for name in self.texts:
            if name not in known and name not in FROM_SPARK and not name.startswith("kafka."):
                near = difflib.get_close_matches(name, known, n=1)
                self.problems.append(f"unknown option {name!r}" + (f": did you mean {known[near[0]]}?" if near else ""))

    def finish(self) -> None:
        self.refuse_unknown()
        if self.problems:
            raise OptionsRefusedError("Options of format('chronik'): " + "; ".join(self.problems))


def _topics(text: str) -> TopicChoice:
    names = tuple(sorted({name.strip() for name in text.split(",") if name.strip()}))
    if not names:
        raise ValueError("name one topic, or several with commas between them")
    return Subscribed(names)


def _pattern(text: str) -> TopicChoice:
    if not text:
        raise ValueError("give a regular expression")
    try:
        re.compile(text)
    except re.error as error:
        raise ValueError(f"not a regular expression ({error})") from None
    return Matching(text)


def _assignment(text: str) -> TopicChoice:
    return Assigned(parse_assignment(text))


def _choice(given: _Given) -> TopicChoice:
    named = [name for name in _CHOICES if name in given]
    if not named and "path" in given:
        return Everything()
    if len(named) != 1:
        fault = "only one of them may be given" if named else "one of them must be given"
        given.problems.append(f"{', '.join(_CHOICES)}: {fault}")
    parsers = {"assign": _assignment, "subscribe": _topics, "subscribePattern": _pattern}
    nothing: TopicChoice = Subscribed(())
    choices = [given.read(name, parsers[name], default=nothing) for name in named]
    return choices[0] if choices else nothing


def _bound(given: _Given, side: str, default: Bound) -> Bound:
    """Read a bound; of the three ways to give it, a time for all comes before times, and those before offsets."""
    if f"{side}Timestamp" in given:
        return given.read(f"{side}Timestamp", lambda text: AtTime(texts.whole(0)(text)), default=default)
    if f"{side}OffsetsByTimestamp" in given:
        return given.read(f"{side}OffsetsByTimestamp", _times, default=default)
    return given.read(f"{side}Offsets", _offsets, default=default)


def _times(text: str) -> Bound:
    return AtTimes(parse_partition_numbers(text, 0))


def _offsets(text: str) -> Bound:
    if text.lower() == "earliest":
        return Earliest()
    if text.lower() == "latest":
        return Latest()
    if not text.startswith("{"):
        raise ValueError("use earliest, latest, or offsets as JSON")
    return AtOffsets(parse_partition_numbers(text, EARLIEST_MARK))


def _starting(given: _Given, streaming: bool) -> Bound:
    bound = _bound(given, "starting", Latest() if streaming else Earliest())
    if not streaming and _has_mark(bound, Latest, LATEST_MARK):
        given.problems.append("startingOffsets: a batch query cannot begin at the latest offset")
    return bound


def _ending(given: _Given, streaming: bool) -> Bound:
    if streaming:
        given.problems += [f"{name}: a stream has no end" for name in _ENDINGS if name in given]
        return Latest()
    bound = _bound(given, "ending", Latest())
    if _has_mark(bound, Earliest, EARLIEST_MARK):
        given.problems.append("endingOffsets: a query cannot end at the earliest offset")
    return bound


def _has_mark(bound: Bound, kind: type, mark: int) -> bool:
    return isinstance(bound, kind) or (isinstance(bound, AtOffsets) and mark in bound.offsets.values())


def _check_triggers(given: _Given, least: int | None, most: int | None) -> None:
    if least is not None and most is not None and least > most:
        given.problems.append(f"minOffsetsPerTrigger={least} is more than maxOffsetsPerTrigger={most}")


def _check_path(given: _Given, streaming: bool) -> None:
    if "path" in given and streaming:
        given.problems.append("path: segment files are read by batch queries only; use kafka.bootstrap.servers")
    if "path" in given and "kafka.bootstrap.servers" in given:
        given.problems.append("path and kafka.bootstrap.servers: give one of them")


def source_options(options: Mapping[str, str], *, streaming: bool) -> SourceOptions:
    """Read the options of a reading query."""
    given = _Given(options)
    count = texts.whole(1)
    least = given.read("minOffsetsPerTrigger", count, default=None) if streaming else None
    most = given.read("maxOffsetsPerTrigger", count, default=None) if streaming else None
    _check_triggers(given, least, most)
    _check_path(given, streaming)
    client_options = given.kafka(SOURCE_REFUSED)
    read = SourceOptions(
        bootstrap="" if "path" in given else given.bootstrap(),
        choice=_choice(given),
        starting=_starting(given, streaming),
        ending=_ending(given, streaming),
        unmatched_time_is_latest=given.read("startingOffsetsByTimestampStrategy", texts.is_latest, default=False),
        view=given.read("view", texts.view, default=View.RECORDS),
        path=given.read("path", str, default=None),
        include_headers=given.read("includeHeaders", texts.flag, default=False),
        fail_on_data_loss=given.read("failOnDataLoss", texts.flag, default="path" not in given),
        read_committed=client_options.get("isolation.level", "").lower() == "read_committed",
        poll_timeout_ms=given.read("kafkaConsumer.pollTimeoutMs", count, default=120_000),
        retries=given.read("fetchOffset.numRetries", texts.whole(0), default=3),
        retry_interval_ms=given.read("fetchOffset.retryIntervalMs", texts.whole(0), default=10),
        tasks_min=given.read("minPartitions", count, default=None),
        task_records_max=given.read("maxRecordsPerPartition", count, default=None),
        tasks_aimed_at=given.read("parallelism", count, default=TASKS_PER_CORE * (os.cpu_count() or 1)),
        trigger_offsets_max=most,
        trigger_offsets_min=least,
        trigger_delay_ms_max=given.read("maxTriggerDelay", texts.duration_ms, default=900_000),
        client_options=client_options,
    )
    given.finish()
    return read


def sink_options(options: Mapping[str, str]) -> SinkOptions:
    """Read the options of a writing query; a record that is sent again by the client is stored once by default."""
    given = _Given(options)
    given.read("includeHeaders", texts.flag, default=False)
    client_options = given.kafka(SINK_REFUSED)
    if client_options.get("acks", "all") in ("all", "-1"):
        client_options.setdefault("enable.idempotence", "true")
    read = SinkOptions(
        bootstrap=given.bootstrap(),
        topic=given.read("topic", texts.topic, default=None),
        replay_headers=given.read("replayHeaders", texts.flag, default=False),
        client_options=client_options,
    )
    given.finish()
    return read
