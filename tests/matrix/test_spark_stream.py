"""Spark's Kafka source as a stream, beside the batches that the matrix reads."""

import pytest

from tests.matrix.capabilities import Client
from tests.matrix.conftest import RunningClients, require
from tests.matrix.program import record_read
from tests.regressions.wire import Wire


@pytest.mark.xdist_group(f"matrix {Client.SPARK}")
def test_a_stream_of_all_that_is_there_reads_it_once_and_ends(
    bootstrap: str, topic_name: str, running_clients: RunningClients
) -> None:
    require(Client.SPARK)
    values = [b"value %d" % index for index in range(300)]
    with Wire(bootstrap) as wire:
        wire.create_topic(topic_name)
        for start in range(0, 300, 100):
            wire.append(topic_name, *values[start : start + 100])
    read = running_clients.get(Client.SPARK, bootstrap).ask("stream", topic=topic_name)
    assert [record_read(record).value for record in read] == values
