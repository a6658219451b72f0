"""aiokafka as a program of the matrix: its event loop runs in a thread, and requests wait for it."""

import asyncio
import threading
from collections.abc import Callable, Coroutine
from typing import Any

import aiokafka
from aiokafka import AIOKafkaConsumer, AIOKafkaProducer, ConsumerRebalanceListener, TopicPartition
from aiokafka.admin import AIOKafkaAdminClient, NewPartitions, NewTopic
from aiokafka.admin.config_resource import ConfigResource, ConfigResourceType
from aiokafka.coordinator.assignors.range import RangePartitionAssignor
from line_server import BOOTSTRAP, MemberLog, headers_from, record_of, serve, to_bytes

SECONDS_MAX = 45
LOOP = asyncio.new_event_loop()


def waiting(request: Callable[..., Coroutine[Any, Any, Any]]) -> Callable[..., Any]:
    """A request that is served by the event loop."""

    def call(**arguments: Any) -> Any:
        return asyncio.run_coroutine_threadsafe(request(**arguments), LOOP).result(2 * SECONDS_MAX)

    return call


async def produce(topic: str, records: list[dict[str, Any]], codec: str, idempotent: bool, bytes_max: int) -> list[int]:
    producer = AIOKafkaProducer(
        bootstrap_servers=BOOTSTRAP,
        compression_type=None if codec == "none" else codec,
        enable_idempotence=idempotent,
        max_request_size=bytes_max + 100_000,
        acks="all",
        linger_ms=5,
    )
    await producer.start()
    try:
        futures = [
            await producer.send(topic, to_bytes(one["value"]), to_bytes(one["key"]), headers=headers_from(one))
            for one in records
        ]
        return [sent.offset for sent in await asyncio.wait_for(asyncio.gather(*futures), SECONDS_MAX)]
    finally:
        await producer.stop()


async def consume(topic: str, count: int) -> list[dict[str, Any]]:
    consumer = AIOKafkaConsumer(bootstrap_servers=BOOTSTRAP, check_crcs=True)
    await consumer.start()
    try:
        consumer.assign([TopicPartition(topic, 0)])
        consumer.seek(TopicPartition(topic, 0), 0)
        found = [await asyncio.wait_for(consumer.getone(), SECONDS_MAX) for _ in range(count)]
        return [record_of(one.key, one.value, one.headers) for one in found]
    finally:
        await consumer.stop()


class Watcher(ConsumerRebalanceListener):
    """Writes down what is given and taken."""

    def __init__(self, log: MemberLog) -> None:
        self._log = log

    def on_partitions_assigned(self, assigned: Any) -> None:
        self._log.on_assigned([one.partition for one in assigned])

    def on_partitions_revoked(self, revoked: Any) -> None:
        self._log.on_revoked([one.partition for one in revoked])


class Member:
    """A consumer of a group, and the task that reads from it."""

    def __init__(self, group: str, topic: str, instance: str | None, session_ms: int) -> None:
        self.log = MemberLog()
        self._consumer = AIOKafkaConsumer(
            bootstrap_servers=BOOTSTRAP,
            group_id=group,
            group_instance_id=instance,
            session_timeout_ms=session_ms,
            heartbeat_interval_ms=300,
            auto_offset_reset="earliest",
            partition_assignment_strategy=(RangePartitionAssignor,),
        )
        self._consumer.subscribe([topic], listener=Watcher(self.log))
        self._task = asyncio.ensure_future(self._read())

    async def _read(self) -> None:
        try:
            await self._consumer.start()
            while True:
                self.log.on_value((await self._consumer.getone()).value)
        except Exception as error:  # noqa: BLE001 -- told to whoever asks for the member
            self.log.on_error(error)

    async def leave(self) -> None:
        self._task.cancel()
        await asyncio.wait([self._task])
        await self._consumer.stop()


MEMBERS: dict[str, Member] = {}


async def join(member: str, cooperative: bool, **options: Any) -> None:
    assert not cooperative
    MEMBERS[member] = Member(**options)


async def leave(member: str) -> None:
    await MEMBERS[member].leave()


async def transact(topic: str, transactional_id: str) -> None:
    producer = AIOKafkaProducer(bootstrap_servers=BOOTSTRAP, transactional_id=transactional_id)
    try:
        await producer.start()
        async with producer.transaction():
            await producer.send_and_wait(topic, b"in a transaction")
    finally:
        await producer.stop()


def administered(request: Callable[..., Coroutine[Any, Any, Any]]) -> Callable[..., Any]:
    """A request that gets an admin client of its own."""

    async def call(**arguments: Any) -> Any:
        admin = AIOKafkaAdminClient(bootstrap_servers=BOOTSTRAP)
        await admin.start()
        try:
            return await request(admin, **arguments)
        finally:
            await admin.close()

    return waiting(call)


async def create_topic(admin: Any, topic: str, partitions: int, configs: dict[str, str]) -> None:
    await admin.create_topics([NewTopic(topic, partitions, 1, topic_configs=configs)])


async def topics(admin: Any) -> dict[str, int]:
    return {one["topic"]: len(one["partitions"]) for one in await admin.describe_topics()}


async def add_partitions(admin: Any, topic: str, partitions: int) -> None:
    await admin.create_partitions({topic: NewPartitions(partitions)})


async def delete_topic(admin: Any, topic: str) -> None:
    await admin.delete_topics([topic])


async def config(admin: Any, topic: str, name: str) -> str:
    responses = await admin.describe_configs([ConfigResource(ConfigResourceType.TOPIC, topic, {name: None})])
    return str(responses[0].resources[0][4][0][1])


async def set_config(admin: Any, topic: str, name: str, value: str) -> None:
    await admin.alter_configs([ConfigResource(ConfigResourceType.TOPIC, topic, {name: value})])


async def groups(admin: Any) -> list[str]:
    return [one[0] for one in await admin.list_consumer_groups()]


async def describe_group(admin: Any, group: str) -> dict[str, Any]:
    described = (await admin.describe_consumer_groups([group]))[0].groups[0]
    return {"state": described[2], "members": len(described[5])}


async def committed(admin: Any, group: str, topic: str) -> dict[int, int]:
    found = await admin.list_consumer_group_offsets(group)
    return {one.partition: position.offset for one, position in found.items() if one.topic == topic}


threading.Thread(target=LOOP.run_forever, daemon=True).start()
serve(
    {
        "version": lambda: aiokafka.__version__,
        "produce": waiting(produce),
        "consume": waiting(consume),
        "join": waiting(join),
        "member": lambda member: MEMBERS[member].log.shown(),
        "leave": waiting(leave),
        "transact": waiting(transact),
        "create_topic": administered(create_topic),
        "topics": administered(topics),
        "add_partitions": administered(add_partitions),
        "delete_topic": administered(delete_topic),
        "config": administered(config),
        "set_config": administered(set_config),
        "groups": administered(groups),
        "describe_group": administered(describe_group),
        "committed": administered(committed),
    }
)
