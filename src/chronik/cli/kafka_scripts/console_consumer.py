"""``kafka-console-consumer.sh``: print records, as a member of a group or of partitions without a group.

Without ``--group`` Kafka's tool joins a group with a random name; this one reads the partitions directly, so that it
begins at once and leaves no group behind.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Final, TypeAlias

from chronik.cli.kafka_scripts.console_format import console_format
from chronik.cli.kafka_scripts.flags import BOOTSTRAP, Given, UsageError, switch, unsupported, value
from chronik.cli.kafka_scripts.session import (
    FAILED,
    INTERRUPTED,
    TERMINATED,
    Tool,
    ask,
    complain,
    complain_of,
    key_values,
    properties_of,
    settings_of,
)
from chronik.cli.kafka_scripts.topics import topic_pattern
from chronik.cli.topic.record_format import RecordPrinter
from chronik.client.admin import Admin
from chronik.client.cluster import Cluster
from chronik.client.consumer import Consumer, FromEarliest, FromLatest, FromOffset, Start, partitions_of
from chronik.client.errors import ClientError
from chronik.client.fetched import FetchedRecords
from chronik.client.groups.consumer import GroupConsumer
from chronik.client.kafka_settings import GivenSettings
from chronik.model.ids import TopicPartition

Poll: TypeAlias = Callable[[float | None], Awaitable[FetchedRecords | None]]
Seek: TypeAlias = Callable[[TopicPartition, int], Awaitable[None]]

_DEFAULT_FORMATTERS: Final = (
    "kafka.tools.DefaultMessageFormatter",
    "org.apache.kafka.tools.consumer.DefaultMessageFormatter",
)

FLAGS: Final = (
    BOOTSTRAP,
    value("topic", "The topic to consume from."),
    value("include", "Topics to consume from, as a regular expression."),
    value("whitelist", "The same as --include."),
    value("partition", "The partition to consume from."),
    value("offset", "With --partition: an offset, 'earliest' or 'latest' (the default)."),
    switch("from-beginning", "Begin with the earliest record where no offset is committed."),
    value("group", "The group to consume as a member of."),
    value("max-messages", "End after this many records."),
    value("timeout-ms", "End when no record has arrived for this long."),
    value("property", "A property NAME=VALUE of the formatter: print.key, print.offset, key.separator, ..."),
    value("formatter-property", "The same as --property."),
    value("formatter-config", "A file with properties of the formatter."),
    value("consumer-property", "A setting NAME=VALUE of the consumer."),
    value("command-property", "The same as --consumer-property."),
    value("consumer.config", "A file with settings of the consumer."),
    value("command-config", "The same as --consumer.config."),
    value("isolation-level", "read_committed, or read_uncommitted (the default)."),
    value("formatter", "Only Kafka's default formatter."),
    value("key-deserializer", "A deserializer of Kafka's own for keys."),
    value("value-deserializer", "A deserializer of Kafka's own for values."),
    switch("skip-message-on-error", "Go on after a record that cannot be printed."),
    unsupported("enable-systest-events", "it is for Kafka's own tests"),
    unsupported("zookeeper", "use --bootstrap-server HOST:PORT"),
)


def _skip_record(at: TopicPartition, offset: int, error: ValueError) -> None:
    complain(f"Error processing message, {at} offset {offset}: {error}")


def _refuse_record(at: TopicPartition, offset: int, error: ValueError) -> None:
    what = f"Error processing message, {at} offset {offset}: {error}"
    raise ClientError(what, advice="Use --skip-message-on-error to go on, or another deserializer.")


def work(given: Given) -> int:
    _check(given)
    properties = properties_of(given, files=["formatter-config"], pairs=["property", "formatter-property"])
    for what in ("key", "value"):
        if f"{what}-deserializer" in given:
            properties[f"{what}.deserializer"] = given.one(f"{what}-deserializer")
    on_error = _skip_record if "skip-message-on-error" in given else _refuse_record
    printer = RecordPrinter(console_format(properties).render_all, given.number("max-messages"), on_error)
    settings = _settings(given)
    code = 0
    try:
        ask(given, lambda cluster: _consume(cluster, given, settings, printer), settings)
    except KeyboardInterrupt:
        code = INTERRUPTED
    except asyncio.CancelledError:
        code = TERMINATED
    except ClientError as error:
        complain_of(error)
        code = FAILED
    complain(f"Processed a total of {printer.count} messages")
    return code


def _check(given: Given) -> None:
    given.exactly_one(("topic", "include", "whitelist"), "Exactly one of --include/--topic is required. ")
    if "partition" in given and "topic" not in given:
        raise UsageError("The topic is required when partition is specified.")
    if "offset" in given and "partition" not in given:
        raise UsageError("The partition is required when offset is specified.")
    if "offset" in given and "from-beginning" in given:
        raise UsageError("The options from-beginning and offset cannot be specified together.")
    if "partition" in given and "group" in given:
        raise UsageError("The options group and partition cannot be specified together.")
    formatter = given.one("formatter", _DEFAULT_FORMATTERS[0])
    if formatter not in _DEFAULT_FORMATTERS:
        raise UsageError(f"--formatter {formatter} is not supported: only Kafka's default formatter is")
    _start(given)


def _settings(given: Given) -> GivenSettings:
    files = properties_of(given, files=["consumer.config", "command-config"])
    pairs = key_values([*given.many("consumer-property"), *given.many("command-property")], "consumer-property")
    flags = {"isolation.level": given.one("isolation-level")} if "isolation-level" in given else {}
    properties = {**files, **pairs, **flags}
    if "from-beginning" in given:
        if properties.get("auto.offset.reset", "earliest") != "earliest":
            raise UsageError(
                f"Can't simultaneously specify --from-beginning and auto.offset.reset="
                f"{properties['auto.offset.reset']}, please remove one option"
            )
        properties["auto.offset.reset"] = "earliest"
    if "group" in given:
        properties["group.id"] = given.one("group")
    return settings_of(properties)


def _start(given: Given) -> Start:
    text = given.one("offset", "earliest" if "from-beginning" in given else "latest").lower()
    words: dict[str, Start] = {"earliest": FromEarliest(), "latest": FromLatest()}
    if text in words:
        return words[text]
    if not text.isdecimal():
        raise UsageError(
            f"The provided offset value '{text}' is incorrect. Valid values are 'earliest', 'latest', "
            "or a non-negative long."
        )
    return FromOffset(int(text))


async def _consume(cluster: Cluster, given: Given, settings: GivenSettings, printer: RecordPrinter) -> None:
    timeout_ms = given.number("timeout-ms")
    timeout_s = None if timeout_ms is None or timeout_ms < 0 else timeout_ms / 1000
    async with _reading(cluster, given, settings) as (poll, seek):
        while not printer.is_done:
            fetched = await poll(timeout_s)
            if fetched is None:
                return
            end = printer.print_fetched(fetched)
            if printer.is_done and end is not None and seek is not None:
                await seek(fetched.topic_partition, end)


@asynccontextmanager
async def _reading(cluster: Cluster, given: Given, settings: GivenSettings) -> AsyncIterator[tuple[Poll, Seek | None]]:
    """Open a consumer; return how to poll it, and how to set its position where that is committed."""
    pattern = given.one("include") or given.one("whitelist")
    if settings.group_id is not None and "partition" not in given:
        topics = given.many("topic")
        expression = topic_pattern(pattern).pattern if pattern else None
        consumer = GroupConsumer(cluster, settings.group_id, topics, pattern=expression, settings=settings.group)
        await consumer.__aenter__()
        try:
            yield consumer.poll, consumer.seek
        finally:
            await consumer.close()
        return
    starts = dict.fromkeys(await _partitions(cluster, given, pattern), _begin(given, settings))
    async with Consumer(cluster, starts, follow=True) as reader:

        async def poll(timeout_s: float | None) -> FetchedRecords | None:
            try:
                async with asyncio.timeout(timeout_s):
                    return await anext(reader)
            except (TimeoutError, StopAsyncIteration):
                return None

        yield poll, None


def _begin(given: Given, settings: GivenSettings) -> Start:
    if "offset" not in given and settings.group.offset_reset == "earliest":
        return FromEarliest()
    return _start(given)


async def _partitions(cluster: Cluster, given: Given, pattern: str) -> list[TopicPartition]:
    if not pattern:
        partition = given.number("partition")
        await cluster.topic(given.one("topic"), allow_creation=True)
        return await partitions_of(cluster, given.one("topic"), [] if partition is None else [partition])
    expression = topic_pattern(pattern)
    topics = [topic for topic in await Admin(cluster).list_topics() if not topic.is_internal]
    names = [topic.name for topic in topics if expression.fullmatch(topic.name)]
    return [at for name in names for at in await partitions_of(cluster, name)]


TOOL: Final = Tool(
    "kafka-console-consumer.sh", "Read data from Kafka topics and print it to standard output.", FLAGS, work
)
