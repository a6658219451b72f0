"""What lies in a topic, read by an independent client, each message by its id."""

import time
from collections import Counter
from typing import NamedTuple

from confluent_kafka import Consumer, TopicPartition

from chronik.audit.tables.ids import HEADER, AuditId, checksum, decode_header

READ_S_MAX = 60.0


class Lying(NamedTuple):
    """A message where it lies."""

    audit_id: AuditId
    partition: int
    offset: int


def end_offsets(bootstrap: str, topic: str, partitions: int) -> dict[int, int]:
    """Ask for the high watermarks."""
    consumer = Consumer({"bootstrap.servers": bootstrap, "group.id": "nobody"})
    try:
        found = {p: consumer.get_watermark_offsets(TopicPartition(topic, p), timeout=30) for p in range(partitions)}
        return {partition: bounds[1] for partition, bounds in found.items()}
    finally:
        consumer.close()


def read_all(bootstrap: str, topic: str, partitions: int) -> list[Lying]:
    """Read everything; each message must carry an id and a checksum that is right."""
    ends = end_offsets(bootstrap, topic, partitions)
    consumer = Consumer({"bootstrap.servers": bootstrap, "group.id": "nobody", "enable.auto.commit": False})
    consumer.assign([TopicPartition(topic, partition, 0) for partition in ends])
    found: list[Lying] = []
    until = time.monotonic() + READ_S_MAX
    try:
        while len(found) < sum(ends.values()):
            assert time.monotonic() < until, f"{len(found)} of {sum(ends.values())} messages came"
            for message in consumer.consume(1000, 0.5):
                assert message.error() is None, message.error()
                stamp = decode_header(dict(message.headers() or ()).get(HEADER))
                assert stamp is not None
                assert stamp.crc == checksum(message.value(), message.key())
                found.append(Lying(stamp.audit_id, message.partition(), message.offset()))
    finally:
        consumer.close()
    return found


def ids_of(found: list[Lying]) -> Counter[AuditId]:
    return Counter(one.audit_id for one in found)
