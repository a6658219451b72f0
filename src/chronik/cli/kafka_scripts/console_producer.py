"""``kafka-console-producer.sh``: each line of standard input becomes a record."""

import sys
from typing import Final

from chronik.cli.kafka_scripts.console_lines import ConsoleLines, LineError, console_lines
from chronik.cli.kafka_scripts.flags import BOOTSTRAP, Flag, Given, Takes, switch, unsupported, value
from chronik.cli.kafka_scripts.session import FAILED, Tool, ask, complain, key_values, properties_of, settings_of
from chronik.cli.shell.line_feed import lines_of
from chronik.client.cluster import Cluster
from chronik.client.delivery import DeliveryOutcome, DeliveryReport
from chronik.client.kafka_settings import GivenSettings
from chronik.client.producer import Producer

_PLAIN_READERS: Final = ("kafka.tools.ConsoleProducer$LineMessageReader", "org.apache.kafka.tools.LineMessageReader")
_NO_EFFECT: Final = "this client's own bounds hold; use --producer-property"

FLAGS: Final = (
    BOOTSTRAP,
    value("broker-list", "The same as --bootstrap-server."),
    value("topic", "REQUIRED: the topic to produce to."),
    value("property", "A property NAME=VALUE of the reader: parse.key, key.separator, parse.headers, null.marker, ..."),
    value("reader-property", "The same as --property."),
    value("reader-config", "A file with properties of the reader."),
    value("producer-property", "A setting NAME=VALUE of the producer."),
    value("command-property", "The same as --producer-property."),
    value("producer.config", "A file with settings of the producer."),
    value("command-config", "The same as --producer.config."),
    value("request-required-acks", "Which acknowledgement to wait for: 0, 1, -1 or all. Default: -1."),
    Flag("compression-codec", Takes.MAYBE, "none, gzip, snappy, lz4 or zstd; gzip where none is named."),
    switch("sync", "Wait for each record before the next one is read."),
    value("batch-size", "How many bytes a batch holds."),
    value("max-partition-memory-bytes", "The same as --batch-size."),
    value("timeout", "How long to wait for a batch to fill, in ms."),
    value("request-timeout-ms", "How long to wait for a response."),
    value("retry-backoff-ms", "How long to wait before another attempt."),
    value("metadata-expiry-ms", "After what time metadata are refreshed."),
    value("max-memory-bytes", "How much may wait to be sent."),
    value("line-reader", "Only Kafka's default reader."),
    unsupported("max-block-ms", _NO_EFFECT + " delivery.timeout.ms=MS"),
    unsupported("message-send-max-retries", _NO_EFFECT + " delivery.timeout.ms=MS"),
    unsupported("socket-buffer-size", "the system chooses it"),
)

_SETTINGS: Final = {
    "request-required-acks": "acks",
    "batch-size": "batch.size",
    "max-partition-memory-bytes": "batch.size",
    "timeout": "linger.ms",
    "request-timeout-ms": "request.timeout.ms",
    "retry-backoff-ms": "retry.backoff.ms",
    "metadata-expiry-ms": "metadata.max.age.ms",
    "max-memory-bytes": "buffer.memory",
}


def work(given: Given) -> int:
    given.require("topic")
    if "broker-list" in given and "bootstrap-server" not in given:
        given.add("bootstrap-server", given.one("broker-list"))
    if "line-reader" in given and given.one("line-reader") not in _PLAIN_READERS:
        complain(f"--line-reader {given.one('line-reader')} is not supported: only Kafka's default reader is")
        return FAILED
    reader = console_lines(properties_of(given, files=["reader-config"], pairs=["property", "reader-property"]))
    settings = _settings(given)
    return ask(given, lambda cluster: _produce(cluster, given, reader), settings)


def _settings(given: Given) -> GivenSettings:
    """Join flags, files and pairs; as in Kafka's tool, pairs win over files, and both over flags."""
    flags = {name: given.one(flag) for flag, name in _SETTINGS.items() if flag in given}
    if "compression-codec" in given:
        flags["compression.type"] = given.one("compression-codec", "gzip")
    files = properties_of(given, files=["producer.config", "command-config"])
    pairs = key_values([*given.many("producer-property"), *given.many("command-property")], "producer-property")
    properties = {**flags, **files, **pairs}
    if properties.get("acks", "all") in ("all", "-1"):
        properties.setdefault("enable.idempotence", "true")
    return settings_of(properties)


async def _produce(cluster: Cluster, given: Given, reader: ConsoleLines) -> int:
    topic, waits = given.one("topic"), "sync" in given
    failures: list[DeliveryReport] = []
    number = 0
    async with Producer(cluster) as producer:
        async for lines in lines_of(sys.stdin.fileno()):
            for line in lines:
                number += 1
                try:
                    record = reader.parse(line, number)
                except LineError as error:
                    await producer.flush()
                    complain(f"org.apache.kafka.common.KafkaException: {error}")
                    return FAILED
                result = await producer.send(topic, record.value, record.key, headers=record.headers)
                result.add_done_callback(lambda done: _note(done.result(), failures))
                if waits:
                    await result
    for failure in failures:
        complain(f"Error when sending message to topic {topic}: {failure.error.name}: {failure.reason}")
    return FAILED if failures else 0


def _note(delivery: DeliveryReport, failures: list[DeliveryReport]) -> None:
    # Without an acknowledgement (acks=0) nothing is known, and nothing is wrong.
    if delivery.outcome is DeliveryOutcome.REFUSED or delivery.error:
        failures.append(delivery)


TOOL: Final = Tool("kafka-console-producer.sh", "Read data from standard input and publish it to Kafka.", FLAGS, work)
