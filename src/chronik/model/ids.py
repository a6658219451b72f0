"""Types for integers that must not be mixed up.

``*_end_offset``, ``high_watermark`` and ``last_stable_offset`` are exclusive; ``last_offset`` is inclusive.
"""

from typing import Final, NamedTuple, NewType
from uuid import UUID

BrokerId = NewType("BrokerId", int)
Offset = NewType("Offset", int)
LeaderEpoch = NewType("LeaderEpoch", int)
PartitionEpoch = NewType("PartitionEpoch", int)
BrokerEpoch = NewType("BrokerEpoch", int)
"""One registration of a broker: the create revision of its key in the store. A later registration has a larger one."""
Revision = NewType("Revision", int)
ProducerId = NewType("ProducerId", int)
ProducerEpoch = NewType("ProducerEpoch", int)
Millis = NewType("Millis", int)
"""Wall-clock milliseconds since 1970, like Kafka's timestamps."""

TopicId = UUID

NO_PRODUCER_ID: Final = ProducerId(-1)
NO_BROKER: Final = BrokerId(-1)
NO_TIMESTAMP: Final = Millis(-1)
ZERO_TOPIC_ID: Final = UUID(int=0)


class TopicPartition(NamedTuple):
    """A partition by its topic's name."""

    topic: str
    partition: int

    def __str__(self) -> str:
        """The name of the partition's directory, as in Kafka."""
        return f"{self.topic}-{self.partition}"
