"""Send the rows of one task, and check on the driver that the target exists."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Iterator
from typing import TypeVar

import pyarrow as pa

from chronik.client.cluster import Cluster
from chronik.client.delivery import DeliveryOutcome, DeliveryReport
from chronik.client.errors import ClientError
from chronik.client.producer import Producer
from chronik.client.settings import client_settings
from chronik.model.errors import ErrorCode
from chronik.spark.options.options import SinkOptions
from chronik.spark.sink.replays import ReplayMarks
from chronik.spark.sink.rows import Headers, records_of

T = TypeVar("T")


class WriteFailedError(RuntimeError):
    """Records were not acknowledged; the message names the first."""


def check_target(options: SinkOptions) -> None:
    """Raise on the driver where the cluster cannot be reached or has no such topic."""

    async def look(cluster: Cluster) -> None:
        if options.topic is None:
            await cluster.refresh(())
        else:
            await cluster.topic(options.topic, allow_creation=True)

    _run(options, look)


def send_all(batches: Iterable[pa.RecordBatch], options: SinkOptions, marks: ReplayMarks | None) -> int:
    """Send every row, wait until all are acknowledged, and return their number."""
    return _run(options, lambda cluster: _send(cluster, batches, options, marks))


async def _send(
    cluster: Cluster, batches: Iterable[pa.RecordBatch], options: SinkOptions, marks: ReplayMarks | None
) -> int:
    count = 0
    waiting: list[asyncio.Future[DeliveryReport]] = []
    extra: Iterator[Headers] = iter(()) if marks is None else marks.headers()
    async with Producer(cluster) as producer:
        for batch in batches:
            for record in records_of(batch, options.topic):
                headers = [*record.headers, *next(extra, ())]
                waiting.append(
                    await producer.send(
                        record.topic, record.value, record.key, partition=record.partition, headers=headers
                    )
                )
                count += 1
            waiting = _unsettled(waiting)
        await producer.flush()
    _unsettled(waiting)
    return count


def _unsettled(waiting: list["asyncio.Future[DeliveryReport]"]) -> list["asyncio.Future[DeliveryReport]"]:
    """Check the results that have arrived, and return the others."""
    for future in waiting:
        if future.done():
            _check(future.result())
    return [future for future in waiting if not future.done()]


def _check(delivery: DeliveryReport) -> None:
    is_unacknowledged = delivery.outcome is DeliveryOutcome.UNKNOWN and delivery.error is ErrorCode.NONE  # acks=0
    if delivery.outcome is not DeliveryOutcome.ACKNOWLEDGED and not is_unacknowledged:
        raise WriteFailedError(
            f"{delivery.topic_partition}: a record was not acknowledged "
            f"({delivery.outcome.value}): {delivery.reason or delivery.error.name}"
        )


def _run(options: SinkOptions, work: Callable[[Cluster], Awaitable[T]]) -> T:
    async def connected() -> T:
        async with Cluster(options.bootstrap, client_settings(dict(options.client_options))) as cluster:
            return await work(cluster)

    try:
        return asyncio.run(connected())
    except ClientError as error:
        raise WriteFailedError(f"kafka.bootstrap.servers={options.bootstrap}: {error.what}. {error.advice}") from None
