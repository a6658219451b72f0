"""``kafka-delete-records.sh``: delete the records of partitions below the offsets that a JSON file names."""

import json
from typing import Final

from chronik.cli.kafka_scripts.flags import BOOTSTRAP, COMMAND_CONFIG, Given, UsageError, value
from chronik.cli.kafka_scripts.java_errors import java_text
from chronik.cli.kafka_scripts.session import Tool, ask, say
from chronik.client.admin import Admin
from chronik.client.cluster import Cluster
from chronik.client.errors import RefusedError
from chronik.model.ids import TopicPartition

FLAGS: Final = (
    BOOTSTRAP,
    COMMAND_CONFIG,
    value(
        "offset-json-file", 'REQUIRED: {"partitions": [{"topic": "foo", "partition": 1, "offset": 1}], "version": 1}'
    ),
)


def work(given: Given) -> int:
    given.require("offset-json-file")
    before = _read(given.one("offset-json-file"))

    async def act(cluster: Cluster) -> int:
        say("Executing records delete operation")
        results: list[str] = []
        for at, offset in before.items():
            try:
                starts = await Admin(cluster).delete_records({at: offset})
                results.append(f"partition: {at}\tlow_watermark: {starts[at]}")
            except RefusedError as error:
                results.append(f"partition: {at}\terror: {java_text(error)}")
        say("Records delete operation completed:")
        for result in results:
            say(result)
        return 0

    return ask(given, act)


def _read(path: str) -> dict[TopicPartition, int]:
    try:
        with open(path) as file:
            document = json.load(file)
        return {TopicPartition(one["topic"], one["partition"]): int(one["offset"]) for one in document["partitions"]}
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from None
    except (ValueError, KeyError, TypeError) as error:
        raise UsageError(f"{path}: the offset json file is malformed: {error!r}") from None


TOOL: Final = Tool(
    "kafka-delete-records.sh", "Delete records of the given partitions down to the specified offset.", FLAGS, work
)
