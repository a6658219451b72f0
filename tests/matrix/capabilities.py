"""Which clients are tried and with what: each pair is either a test or a stated reason why the client cannot do it."""

from enum import StrEnum
from typing import Final


class Client(StrEnum):
    """The clients, as the table of compatibility names them."""

    CONFLUENT = "confluent-kafka"
    KAFKA_PYTHON = "kafka-python"
    KAFKA_PYTHON_2 = "kafka-python 2.0.2"
    AIOKAFKA = "aiokafka"
    KCAT = "kcat"
    KAFKAJS = "kafkajs"
    CONFLUENT_JS = "@confluentinc/kafka-javascript"
    JAVA = "Java client"
    SPARK = "Spark's Kafka source and sink"


class Capability(StrEnum):
    """What is tried with each of them."""

    PRODUCE = "produce"
    CONSUME = "consume"
    GROUP_JOIN = "groups: join"
    GROUP_COMMIT = "groups: committed offsets"
    GROUP_LEAVE = "groups: leave"
    GROUP_CRASH = "groups: crash"
    GROUP_STATIC = "groups: static member"
    GROUP_COOPERATIVE = "groups: cooperative"
    IDEMPOTENCE = "idempotence"
    ADMIN_TOPICS = "admin: topics"
    ADMIN_CONFIGS = "admin: configs"
    ADMIN_GROUPS = "admin: groups"
    ADMIN_DELETE_GROUP = "admin: delete a group"
    GZIP = "codec: gzip"
    SNAPPY = "codec: snappy"
    LZ4 = "codec: lz4"
    ZSTD = "codec: zstd"
    HEADERS = "headers"
    NULLS = "null keys and values"
    ONE_BYTE = "a message of 1 byte"
    TEN_MEGABYTES = "a message of 10 MB"
    TRANSACTIONS_REFUSED = "transactions refused"


_GROUP_ADMIN: Final = (Capability.ADMIN_GROUPS, Capability.ADMIN_DELETE_GROUP)
_ADMIN: Final = (Capability.ADMIN_TOPICS, Capability.ADMIN_CONFIGS, *_GROUP_ADMIN)
_GROUPS: Final = tuple(one for one in Capability if one.startswith("groups: "))

_REASONS: Final[dict[Client, dict[str, tuple[Capability, ...]]]] = {
    Client.CONFLUENT: {},
    Client.KAFKA_PYTHON: {},
    Client.KAFKA_PYTHON_2: {
        "It knows no static members.": (Capability.GROUP_STATIC,),
        "It knows only eager rebalancing.": (Capability.GROUP_COOPERATIVE,),
        "Its producer cannot be idempotent.": (Capability.IDEMPOTENCE,),
        "Its producer knows no transactions.": (Capability.TRANSACTIONS_REFUSED,),
    },
    Client.AIOKAFKA: {
        "It knows only eager rebalancing.": (Capability.GROUP_COOPERATIVE,),
        "Its admin client cannot delete a group.": (Capability.ADMIN_DELETE_GROUP,),
    },
    Client.KCAT: {"It changes no topics, settings or groups.": _ADMIN},
    Client.KAFKAJS: {
        "It knows no static members.": (Capability.GROUP_STATIC,),
        "It knows only eager rebalancing.": (Capability.GROUP_COOPERATIVE,),
    },
    Client.CONFLUENT_JS: {"Its admin client has no call for settings.": (Capability.ADMIN_CONFIGS,)},
    Client.JAVA: {},
    Client.SPARK: {
        "It assigns partitions itself and keeps offsets in its checkpoint: it never joins a group.": _GROUPS,
        "It administers nothing.": _ADMIN,
        "Its sink does not use transactions.": (Capability.TRANSACTIONS_REFUSED,),
    },
}

LACKS: Final[dict[tuple[Client, Capability], str]] = {
    (client, capability): reason
    for client, reasons in _REASONS.items()
    for reason, capabilities in reasons.items()
    for capability in capabilities
}
"""What a client itself cannot do, with the reason."""

TRIED: Final = [
    (client, capability) for client in Client for capability in Capability if (client, capability) not in LACKS
]
