"""Settings given as ``kafka.*``: passed to the client, accepted without effect, or refused with the reason."""

import difflib
from collections.abc import Mapping
from typing import Final

from chronik.client.errors import SettingsRefusedError
from chronik.client.settings import KNOWN, client_settings

_BOTH: Final = """
    client.dns.lookup client.rack connections.max.idle.ms enable.metrics.push metadata.recovery.strategy
    metadata.recovery.rebootstrap.trigger.ms metric.reporters metrics.num.samples metrics.recording.level
    metrics.sample.window.ms receive.buffer.bytes reconnect.backoff.max.ms reconnect.backoff.ms
    send.buffer.bytes socket.connection.setup.timeout.max.ms config.providers auto.include.jmx.reporter
"""
_CONSUMER: Final = """
    allow.auto.create.topics auto.commit.interval.ms check.crcs exclude.internal.topics group.id group.instance.id
    group.protocol group.remote.assignor heartbeat.interval.ms internal.leave.group.on.close
    internal.throw.on.fetch.stable.offset.unsupported max.poll.interval.ms max.poll.records
    partition.assignment.strategy session.timeout.ms default.api.timeout.ms
"""
_PRODUCER: Final = """
    compression.gzip.level compression.lz4.level compression.zstd.level max.block.ms metadata.max.idle.ms
    partitioner.adaptive.partitioning.enable partitioner.availability.timeout.ms partitioner.ignore.keys retries
    enable.metrics.push transaction.timeout.ms
"""
IGNORED: Final = frozenset(f"{_BOTH} {_CONSUMER} {_PRODUCER}".split())
"""Settings of Kafka's consumer and producer that do not change the rows: accepted, without effect."""

_SECURITY_PREFIXES: Final = ("sasl.", "ssl.", "security.", "kerberos.")

SOURCE_REFUSED: Final = {
    "auto.offset.reset": "use startingOffsets",
    "key.deserializer": "keys are binary; cast the column",
    "value.deserializer": "values are binary; cast the column",
    "enable.auto.commit": "the checkpoint holds the offsets; chronik.spark.commit_offsets commits them to a group",
    "interceptor.classes": "classes of Java cannot be called",
}
SINK_REFUSED: Final = {
    "key.serializer": "keys are binary or string columns",
    "value.serializer": "values are binary or string columns",
    "transactional.id": "the sink writes at least once, without transactions; see replayHeaders",
    "interceptor.classes": "classes of Java cannot be called",
    "partitioner.class": "classes of Java cannot be called; add a column 'partition'",
}


def sort_kafka_settings(given: Mapping[str, str], refused: Mapping[str, str]) -> tuple[dict[str, str], list[str]]:
    """Return the settings for the client, and the problems of the others."""
    problems = [problem for name, text in given.items() if (problem := _problem(name, text, refused))]
    passed = {name: text for name, text in given.items() if name in KNOWN}
    try:
        client_settings(passed)
    except SettingsRefusedError as error:
        problems.append(f"kafka.{error.what}")
    return passed, problems


def _problem(name: str, text: str, refused: Mapping[str, str]) -> str | None:
    if name in refused:
        return f"kafka.{name} cannot be set: {refused[name]}"
    if name in KNOWN or name in IGNORED or (name == "security.protocol" and text.upper() == "PLAINTEXT"):
        return None
    if name.startswith(_SECURITY_PREFIXES):
        return f"kafka.{name}: TLS and SASL are not supported yet; use a listener with security.protocol=PLAINTEXT"
    near = difflib.get_close_matches(name, [*KNOWN, *IGNORED], n=1)
    return f"kafka.{name} is not a setting of Kafka's clients" + (f": did you mean kafka.{near[0]}?" if near else "")
