"""The wire's numbers about configs: resource types, sources of a value, operations of IncrementalAlterConfigs."""

from enum import IntEnum


class ResourceType(IntEnum):
    """The kind of resource that a config belongs to."""

    TOPIC = 2
    BROKER = 4
    BROKER_LOGGER = 8
    CLIENT_METRICS = 16
    GROUP = 32


class ConfigSource(IntEnum):
    """Where an effective value comes from. Kafka's names are longer: ``DYNAMIC_BROKER_CONFIG``, ..."""

    UNKNOWN = 0
    TOPIC = 1
    DYNAMIC_BROKER = 2
    DYNAMIC_DEFAULT_BROKER = 3
    STATIC_BROKER = 4
    DEFAULT = 5
    DYNAMIC_BROKER_LOGGER = 6
    CLIENT_METRICS = 7
    GROUP = 8

    @classmethod
    def _missing_(cls, value: object) -> "ConfigSource":
        return cls.UNKNOWN


class AlterConfigOp(IntEnum):
    """What IncrementalAlterConfigs does with one config."""

    SET = 0
    DELETE = 1
    APPEND = 2
    SUBTRACT = 3
